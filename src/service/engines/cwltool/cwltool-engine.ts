/**
 * Runs apps on this machine with cwltool, the reference runner of CWL.
 *
 * A run has a directory of its own, with `inputs/`, `outputs/`, `temporary/`, `home/`, the app and its job order. The
 * engine and its tools are one process group in a sandbox, which does not outlive this process and sees none of its
 * environment.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { containerImages } from '../engine-document.ts';
import { type EngineResult, type TaskEngine, TaskFailure, type TaskOrder } from '../task-engine.ts';
import { CwltoolLog } from './cwltool-log.ts';
import { LineSplitter } from './line-splitter.ts';
import { openOutput, readOutputObject, withListings } from './made-outputs.ts';
import { ProcessGroup } from './process-group.ts';
import { watchResources } from './resource-watch.ts';
import { sandbox } from './sandbox.ts';
import { stageInputs } from './stage-inputs.ts';

export interface CwltoolOptions {
  readonly clock: Clock;
  readonly slots: number;
  /** The program that runs containers; undefined: none. */
  readonly containers: 'docker' | 'podman' | 'singularity' | undefined;
  /** Directories and files that tools must not see; undefined: they run without a sandbox. */
  readonly hidden: readonly string[] | undefined;
  /** A run that takes longer is ended. */
  readonly seconds: number;
}

const FREE_DISK_BYTES = 256 * 1024 * 1024;
/** cwltool ends its containers when it is asked to end, and takes its time. */
const CONTAINER_GRACE_MS = 15_000;
const DOCKER_SOCKET = '/run/docker.sock';

export class CwltoolEngine implements TaskEngine {
  readonly slots: number;
  readonly #options: CwltoolOptions;

  constructor(options: CwltoolOptions) {
    this.slots = options.slots;
    this.#options = options;
  }

  async run(order: TaskOrder): Promise<EngineResult> {
    const { directory, signal, document } = order;
    const wrapping = await this.#sandbox(order);
    const needed = this.#missingImages(order, 'requirements');
    if (needed.length > 0) {
      throw new TaskFailure(`The app needs a container (${needed.join(', ')}), and this service runs none.`);
    }
    const inputs = await stageInputs(order.inputs, { directory: join(directory, 'inputs'), signal });
    await writeFile(join(directory, 'app.cwl.json'), JSON.stringify(document));
    await writeFile(join(directory, 'inputs.json'), JSON.stringify(inputs));
    for (const name of ['outputs', 'temporary', 'home']) await mkdir(join(directory, name));
    const outputs = await this.#runCwltool(order, [...wrapping, ...this.#command(order)]);
    const wanted = this.#missingImages(order, 'hints');
    return {
      outputs,
      warnings:
        wanted.length === 0 ? [] : [`It ran without the container it asks for: ${wanted.join(', ')}.`],
      open: (location) => openOutput(join(directory, 'outputs'), location),
    };
  }

  #missingImages({ document }: TaskOrder, kind: 'requirements' | 'hints'): string[] {
    return this.#options.containers === undefined ? containerImages(document, kind) : [];
  }

  async #sandbox({ directory, network }: TaskOrder): Promise<readonly string[]> {
    const { hidden, containers } = this.#options;
    if (hidden !== undefined) {
      return sandbox({ directory, hidden, network, sockets: containers === 'docker' ? [DOCKER_SOCKET] : [] });
    }
    if (network) return [];
    throw new TaskFailure(
      'The project allows no network access, and this service has nothing to take it away with.',
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
    const { directory, signal } = order;
    signal.throwIfAborted();
    const group = new ProcessGroup(command, { cwd: directory, env: environment(directory) });
    const over = new AbortController();
    const log = new CwltoolLog();
    this.#readLog(group, order, log);
    try {
      const status = await Promise.race([group.ended, this.#broken(group, order, over.signal)]);
      if (status !== 0) throw new TaskFailure(log.failure ?? `cwltool ended with exit status ${status}.`);
    } finally {
      over.abort();
      await group.stop(this.#options.containers === undefined ? 0 : CONTAINER_GRACE_MS);
    }
    return readOutputs(directory);
  }

  /** Rejects when the run is to be broken off, or takes more than it may. */
  #broken(
    group: ProcessGroup,
    { directory, signal, instance }: TaskOrder,
    over: AbortSignal,
  ): Promise<never> {
    const { clock, seconds } = this.#options;
    const limits = { memoryBytes: instance.memoryBytes, seconds, freeDiskBytes: FREE_DISK_BYTES };
    const broken = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });
      watchResources({ groupId: group.id, directory, limits }, clock, over).catch(reject);
    });
    broken.catch(() => undefined);
    return broken;
  }

  #readLog(group: ProcessGroup, order: TaskOrder, log: CwltoolLog): void {
    const lines = new LineSplitter((line) => {
      if (log.read(line, this.#options.clock.now())) order.progress(log.progress);
    });
    group.stderr.on('data', (chunk: Buffer) => {
      order.log.write(chunk);
      lines.write(chunk);
    });
    group.stdout.resume();
  }
}

async function readOutputs(directory: string): Promise<Record<string, unknown>> {
  const outputs = await readOutputObject(join(directory, 'outputs.json'));
  return (await withListings(outputs ?? {}, join(directory, 'outputs'))) as Record<string, unknown>;
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
