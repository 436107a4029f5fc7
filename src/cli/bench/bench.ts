import { randomBytes } from 'node:crypto';
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { describeSize } from '../../lib/describe-size.ts';
import { errorCode } from '../../lib/error-code.ts';
import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import { BenchedMount } from './benched-mount.ts';
import { curlDownload, curlRanges } from './curl.ts';
import { filesThere } from './files-there.ts';
import {
  forgetPages,
  list,
  randomRanges,
  readFlow,
  readRandom,
  readSmall,
  timed,
  writeFlow,
} from './measure.ts';
import type { Flow, Measured, Reading, SmallFiles } from './measured.ts';

const MIB = 1024 * 1024;
const FIRST_BYTES = 4 * MIB;
const LARGEST_BYTES = 256 * MIB;
/** What one measurement may take. */
const SECONDS = 8;
const SMALL_FILES = 20;
const SMALL_BYTES = 4096;
/** Reading less tells nothing of a line. */
const LARGE_BYTES = MIB;
/** A limit beyond it is none. */
const NO_LIMIT = 1_000_000;
/** The API requests of a whole run are no more, on parts of the size that is usual. */
const MOST_REQUESTS = { writing: 200, reading: 100 };

export interface BenchOptions {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Prints a line for a person. */
  readonly say: (line: string) => void;
}

/** Measures what a folder in a mount gives. What it wrote is gone again, also when it was interrupted. */
export async function bench({ path: given, signal, say }: BenchOptions): Promise<Measured> {
  const located = await locate(given);
  if (located === undefined) throw new CliError('notMounted', `${given}: not in a mount of svcfs`);
  const mount = new BenchedMount(located.mount);
  const path = join(located.mount.mountPoint, located.path);
  const place = await mount.placeOf(path);
  const run = new Run({ path, mount, signal, say });
  const refusal = REFUSALS[place.kind] ?? (await mount.refusalToWrite());
  try {
    if (refusal === undefined) await run.writeAndRead();
    else await run.readWhatIsThere(refusal, place.kind === 'file' || place.kind === 'object');
  } catch (error) {
    throw ofFileSystem(error, path);
  }
  return run.end();
}

/** A system call that failed in the mount, which knows more about it. */
function ofFileSystem(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || errorCode(error) === undefined || !('syscall' in error)) return error;
  const at = 'path' in error && typeof error.path === 'string' ? error.path : path;
  return new CliError('failure', `${messageOf(error)}\nsvcfs why ${at} tells why`, { cause: error });
}

/** By what was named. */
const REFUSALS: Readonly<Record<string, string>> = {
  prefix: 'nothing can be removed from a volume again; name a folder of a project',
  object: 'nothing can be removed from a volume again; name a folder of a project',
  file: 'a file was named; name a folder of a project',
};

interface RunOptions extends BenchOptions {
  readonly mount: BenchedMount;
}

class Run {
  readonly #options: RunOptions;
  readonly #leftOut: string[] = [];
  #requestsBefore = 0;
  #measured: Partial<Measured> = {};

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async writeAndRead(): Promise<void> {
    const { path, say } = this.#options;
    const folder = join(path, `svcfs-bench-${randomBytes(4).toString('hex')}`);
    await this.#begin(MOST_REQUESTS.writing);
    say(
      `Writes ${describeSize(FIRST_BYTES)}, then up to ${describeSize(LARGEST_BYTES)} where that goes fast, and ${SMALL_FILES} small files`,
    );
    say(`into ${folder}. Reads them, and removes them for good.`);
    say(`Takes up to a minute and ${MOST_REQUESTS.writing} requests of the API.`);
    await mkdir(folder);
    try {
      const large = await this.#write(folder);
      const small = await this.#writeSmall(folder);
      await this.#read(large);
      await this.#readSmall(small);
      await this.#list(folder);
    } finally {
      await this.#remove(folder);
    }
  }

  async readWhatIsThere(refusal: string, isFile: boolean): Promise<void> {
    const { path, say } = this.#options;
    this.#leftOut.push(`writing: ${refusal}`);
    await this.#begin(MOST_REQUESTS.reading);
    say(`Reads ${isFile ? path : `files in ${path}`}, and writes nothing.`);
    say(`Takes up to a minute and ${MOST_REQUESTS.reading} requests of the API.`);
    const files = isFile ? [{ path, bytes: (await lstat(path)).size }] : await filesThere(path);
    const [largest] = files.toSorted((one, other) => other.bytes - one.bytes);
    if (largest === undefined || largest.bytes < LARGE_BYTES) {
      this.#leftOut.push(
        `reading: no file of ${describeSize(LARGE_BYTES)} or more is in the first folders of ${path}`,
      );
    } else await this.#read(largest.path);
    const small = files.filter((file) => file !== largest && file.bytes <= MIB).slice(0, SMALL_FILES);
    if (small.length > 0) await this.#readSmall(small.map((file) => file.path));
    if (!isFile) await this.#list(path);
  }

  async end(): Promise<Measured> {
    const { path, mount } = this.#options;
    const { window } = (await mount.statistics()).api.rate;
    return {
      path,
      ...this.#measured,
      ...(typeof window === 'object' && window.limit < NO_LIMIT && { rateLimit: window.limit }),
      requests: (await mount.requests()) - this.#requestsBefore,
      leftOut: this.#leftOut,
    };
  }

  /** @throws CliError when the request limit has less left than it may take */
  async #begin(requests: number): Promise<void> {
    const { mount } = this.#options;
    this.#requestsBefore = await mount.requests();
    const { window } = (await mount.statistics()).api.rate;
    if (typeof window !== 'object' || window.remaining >= requests) return;
    throw new CliError(
      'failure',
      `the request limit has ${window.remaining} of ${window.limit} requests left, and this may take ${requests}: try again later`,
    );
  }

  async #write(folder: string): Promise<string> {
    const { mount, signal } = this.#options;
    const write = (name: string, bytes: number): Promise<Flow> =>
      writeFlow(join(folder, name), bytes, () => mount.flush(folder, signal), signal);
    const first = await write('first', FIRST_BYTES);
    const bytes = Math.min(LARGEST_BYTES, Math.floor((first.bytesPerSecond * SECONDS) / MIB) * MIB);
    const isSlow = bytes <= 2 * FIRST_BYTES;
    this.#note({ write: isSlow ? first : await write('large', bytes) });
    return join(folder, isSlow ? 'first' : 'large');
  }

  async #writeSmall(folder: string): Promise<readonly string[]> {
    const { mount, signal } = this.#options;
    const paths = Array.from({ length: SMALL_FILES }, (_, index) => join(folder, `small-${index}`));
    const writeSmall = await this.#small(paths, async () => {
      const [ms] = await timed(async () => {
        for (const path of paths) {
          signal.throwIfAborted();
          await writeFile(path, randomBytes(SMALL_BYTES));
        }
        await mount.flush(folder, signal);
      });
      return (paths.length * 1000) / ms;
    });
    this.#note({ writeSmall });
    return paths;
  }

  async #readSmall(paths: readonly string[]): Promise<void> {
    await forgetPages(paths);
    this.#note({ readSmall: await this.#small(paths, () => readSmall(paths, this.#options.signal)) });
  }

  async #small(paths: readonly string[], work: () => Promise<number>): Promise<SmallFiles> {
    const { mount } = this.#options;
    const before = await mount.requests();
    const perSecond = await work();
    const requests = (await mount.requests()) - before;
    return { files: paths.length, perSecond, requestsPerFile: requests / paths.length };
  }

  /** Random reads come first, for all is in a cache after the others. */
  async #read(file: string): Promise<void> {
    const { mount, signal } = this.#options;
    const limits = { seconds: SECONDS, signal };
    const { size } = await lstat(file);
    await forgetPages([file]);
    this.#note({ random: await readRandom(file, size, limits) });
    await forgetPages([file]);
    const before = await mount.consumption();
    const [ms, flow] = await timed(() => readFlow(file, limits));
    const after = await mount.consumption();
    const read: Reading = {
      ...flow,
      fromStoreBytes: after.storeBytes - before.storeBytes,
      cores: ((after.cpuSeconds - before.cpuSeconds) * 1000) / ms,
      loadPerCore: (loadavg()[0] ?? 0) / availableParallelism(),
    };
    this.#note({ read });
    await this.#compare(file, size);
  }

  async #compare(file: string, size: number): Promise<void> {
    const { mount, signal } = this.#options;
    try {
      const url = await mount.linkOf(file, signal);
      this.#note({ curl: await curlDownload(url, SECONDS, signal) });
      this.#note({ curlRandomMs: await curlRanges(url, randomRanges(size).slice(0, 20), signal) });
    } catch (error) {
      signal.throwIfAborted();
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      this.#leftOut.push(`curl: ${isMissing ? 'it is not there; apt install curl' : messageOf(error)}`);
    }
  }

  async #list(folder: string): Promise<void> {
    const { mount } = this.#options;
    const before = await mount.requests();
    const listed = await list(folder, () => mount.refresh(folder));
    this.#note({ listing: { ...listed, requests: (await mount.requests()) - before } });
  }

  async #remove(folder: string): Promise<void> {
    const { mount, say } = this.#options;
    try {
      await mount.remove(folder);
    } catch (error) {
      say(`${folder} is still there (${messageOf(error)}): remove it by svcfs rm -r`);
    }
  }

  #note(more: Partial<Measured>): void {
    this.#measured = { ...this.#measured, ...more };
  }
}
