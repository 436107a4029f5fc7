/**
 * Runs apps on this machine with cwltool, the reference runner of CWL.
 *
 * A run has a directory of its own: `inputs/`, `outputs/`, `temporary/`, `home/`, the app and its job order. cwltool and
 * its tools are one process group, which does not outlive this process, sees none of its environment, and has no network
 * unless the project allows it. Without a container engine tools run as the user of the service.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { demandedImages } from '../../rules/engine-document.ts';
import { type EngineResult, type TaskEngine, TaskFailure, type TaskOrder } from '../task-engine.ts';
import { CwltoolLog } from './cwltool-log.ts';
import { LineSplitter } from './line-splitter.ts';
import { openOutput, withListings } from './made-outputs.ts';
import { networkIsolation } from './network-isolation.ts';
import { ProcessGroup } from './process-group.ts';
import { watchResources } from './resource-watch.ts';
import { stageInputs } from './stage-inputs.ts';

export interface CwltoolOptions {
  readonly clock: Clock;
  readonly slots: number;
  /** What runs containers; undefined: nothing does. */
  readonly containers: 'docker' | 'podman' | 'singularity' | undefined;
  /** A run that takes longer is ended. */
  readonly seconds: number;
}

const FREE_DISK_BYTES = 256 * 1024 * 1024;

export class CwltoolEngine implements TaskEngine {
  readonly slots: number;
  readonly #options: CwltoolOptions;
  #isolation: Promise<readonly string[] | undefined> | undefined;

  constructor(options: CwltoolOptions) {
    this.slots = options.slots;
    this.#options = options;
  }

  async run(order: TaskOrder): Promise<EngineResult> {
    const { directory, signal, document } = order;
    const images = this.#options.containers === undefined ? demandedImages(document) : [];
    if (images.length > 0) {
      throw new TaskFailure(`The app needs a container (${images.join(', ')}), and this service runs none.`);
    }
    const isolation = await this.#isolationFor(order);
    const inputs = await stageInputs(order.inputs, { directory: join(directory, 'inputs'), signal });
    await writeFile(join(directory, 'app.cwl.json'), JSON.stringify(document));
    await writeFile(join(directory, 'inputs.json'), JSON.stringify(inputs));
    for (const name of ['outputs', 'temporary', 'home']) await mkdir(join(directory, name));
    const outputs = await this.#runCwltool(order, [...isolation, ...this.#command(order)]);
    return {
      outputs,
      warnings: [],
      open: (location) => openOutput(join(directory, 'outputs'), location),
    };
  }

  async #isolationFor({ network }: TaskOrder): Promise<readonly string[]> {
    if (network) return [];
    this.#isolation ??= networkIsolation();
    const way = await this.#isolation;
    if (way !== undefined) return way;
    throw new TaskFailure(
      'The project allows no network access, and this machine cannot run a program without (unshare(1) is not allowed).',
    );
  }

  #command({ directory, network }: TaskOrder): readonly string[] {
    const { containers } = this.#options;
    return [
      ...['nice', 'cwltool', '--timestamps', '--disable-color', '--relax-path-checks', '--non-strict'],
      ...(containers === undefined ? ['--no-container'] : []),
      ...(containers === 'podman' || containers === 'singularity' ? [`--${containers}`] : []),
      ...(containers === undefined ? [] : ['--strict-memory-limit', '--strict-cpu-limit']),
      ...(containers === undefined || network ? [] : ['--custom-net', 'none']),
      ...['--tmpdir-prefix', join(directory, 'temporary', '/'), '--outdir', join(directory, 'outputs')],
      ...['--write-summary', join(directory, 'outputs.json'), 'app.cwl.json', 'inputs.json'],
    ];
  }

  async #runCwltool(order: TaskOrder, command: readonly string[]): Promise<Record<string, unknown>> {
    const { directory, signal, instance } = order;
    signal.throwIfAborted();
    const group = new ProcessGroup(command, { cwd: directory, env: environment(directory) });
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const limits = {
      memoryBytes: instance.memoryBytes,
      seconds: this.#options.seconds,
      freeDiskBytes: FREE_DISK_BYTES,
    };
    const watch = watchResources({ groupId: group.id, directory, limits }, this.#options.clock, either);
    const stopped = new Promise<never>((_, reject) => {
      const stop = (): void => reject(signal.reason);
      either.addEventListener('abort', stop, { once: true });
      watch.catch(reject);
    });
    stopped.catch(() => undefined);
    const log = new CwltoolLog();
    this.#readLog(group, order, log);
    group.stdout.resume();
    try {
      const status = await Promise.race([group.ended, stopped]);
      if (status !== 0) throw new TaskFailure(log.failure ?? `cwltool ended with exit status ${status}.`);
    } finally {
      await group.stop();
      over.abort();
    }
    return readOutputs(directory);
  }

  #readLog(group: ProcessGroup, order: TaskOrder, log: CwltoolLog): void {
    const lines = new LineSplitter((line) => {
      if (log.read(line, this.#options.clock.now())) order.progress(log.progress);
    });
    group.stderr.on('data', (chunk: Buffer) => {
      order.log.write(chunk);
      lines.write(chunk);
    });
  }
}

async function readOutputs(directory: string): Promise<Record<string, unknown>> {
  const outputs: unknown = JSON.parse(await readFile(join(directory, 'outputs.json'), 'utf8'));
  return (await withListings(outputs ?? {})) as Record<string, unknown>;
}

/** Expressions in apps are run by the Node.js that runs this. */
function environment(directory: string): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  return {
    PATH: [PATH, dirname(process.execPath)].join(delimiter),
    HOME: join(directory, 'home'),
    TMPDIR: join(directory, 'temporary'),
    LC_ALL: 'C.UTF-8',
  };
}
