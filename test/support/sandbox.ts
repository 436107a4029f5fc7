import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import type { MountStatistics } from '../../src/cli/mount/mount-statistics.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { identify } from '../../src/lib/process-identity.ts';
import { BackgroundProcess } from './background-process.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import { waitUntil } from './wait-until.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The Node.js that runs svcfs: that of the tests, unless a project of vitest.config.ts names another. */
const NODE = process.env['SVCFS_TEST_NODE'] || process.execPath;

/**
 * A person's account for one test: a home, a mount point and the command `svcfs`, all in a directory of its own.
 * `clean` leaves neither mounts nor processes, whatever the test did.
 */
export class Sandbox {
  readonly root: string;
  readonly home: string;
  /** An empty directory. */
  readonly mountPoint: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #as: Pick<RunOptions, 'uid' | 'gid'>;
  readonly #remove: () => void;
  readonly #background: BackgroundProcess[] = [];
  readonly #mountPoints = new Set<string>();

  /** `uid`: whose account it is, where that is not this process's. */
  static async create({ uid }: { readonly uid?: number } = {}): Promise<Sandbox> {
    const sandbox = new Sandbox(dirSync({ prefix: 'svcfs', unsafeCleanup: true }), uid);
    const { root, home, mountPoint } = sandbox;
    for (const path of [home, mountPoint, join(root, 'tmp'), join(root, 'state')])
      await mkdir(path, { recursive: true });
    if (uid !== undefined)
      for (const path of [root, ...(await readdir(root)).map((name) => join(root, name))])
        await chown(path, uid, uid);
    return sandbox;
  }

  private constructor(directory: { readonly name: string; removeCallback(): void }, uid: number | undefined) {
    this.root = directory.name;
    this.#as = uid === undefined ? {} : { uid, gid: uid };
    this.#remove = () => directory.removeCallback();
    this.home = join(this.root, 'home');
    this.mountPoint = join(this.root, 'mnt');
    this.env = {
      HOME: this.home,
      XDG_STATE_HOME: join(this.root, 'state'),
      XDG_DATA_HOME: join(this.root, 'data'),
      TMPDIR: join(this.root, 'tmp'),
      XDG_CONFIG_HOME: undefined,
      SVCFS_CONFIG: undefined,
      SVC_API_ENDPOINT: undefined,
      SVC_AUTH_TOKEN: undefined,
      SB_API_ENDPOINT: undefined,
      SB_AUTH_TOKEN: undefined,
      // SIGUSR2 writes where a process stands: see `describe`.
      NODE_OPTIONS: `--report-on-signal --report-directory=${this.root}`,
    };
    this.#mountPoints.add(this.mountPoint);
  }

  /** A path in the mount. */
  path(...names: string[]): string {
    return join(this.mountPoint, ...names);
  }

  /** The mount's own statistics. */
  async statistics(): Promise<MountStatistics> {
    return JSON.parse(await readFile(this.path('.svcfs', 'stats'), 'utf8'));
  }

  /** `svcfs ARGS`, to its end; by another Node.js than the usual one if `node` names one. */
  svcfs(args: readonly string[], options: RunOptions & { readonly node?: string } = {}): Promise<RunResult> {
    const { node = NODE, ...others } = options;
    return run(node, [MAIN, ...args], { ...this.#as, ...others, env: { ...this.env, ...others.env } });
  }

  /** `svcfs ARGS`, which goes on until the test ends. */
  start(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): BackgroundProcess {
    return this.startProgram(NODE, [MAIN, ...args], env);
  }

  /** Any other program, as this person, which goes on until the test ends. */
  startProgram(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> = {},
  ): BackgroundProcess {
    const process_ = new BackgroundProcess(command, args, { ...this.env, ...env });
    this.#background.push(process_);
    return process_;
  }

  /** Another mount point to look after. */
  alsoMounts(mountPoint: string): void {
    this.#mountPoints.add(mountPoint);
  }

  /** The logs of all processes of svcfs. */
  async logs(): Promise<string> {
    const texts = (await this.#stateFiles()).filter((path) => path.endsWith('.log')).map(readText);
    return (await Promise.all(texts)).join('');
  }

  /** Processes of svcfs that still run for this sandbox: daemons, watchdogs, services. */
  async processes(): Promise<readonly { readonly pid: number; readonly command: string }[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const found = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readText(`/proc/${pid}/environ`);
        const isOurs = environment.includes(`HOME=${this.home}\0`) && (await identify(pid)) !== undefined;
        return isOurs
          ? [{ pid, command: (await readText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ') }]
          : [];
      }),
    );
    return found.flat();
  }

  /** Unmounts, ends every process by its id, and removes the directory. */
  async clean(): Promise<void> {
    for (const mountPoint of this.#mountPoints) {
      if ((await mountedOn(mountPoint)) === undefined) continue;
      const done = await this.svcfs(['unmount', mountPoint], { timeoutMs: 20_000 }).catch(() => undefined);
      if (done?.code !== 0) await run('umount', ['-l', mountPoint]);
    }
    for (const child of this.#background) await child.end();
    for (const { pid } of await this.processes()) kill(pid);
    this.#remove();
  }

  /** Where each process stands, and the end of each log: for a test that failed. */
  async describe(): Promise<string> {
    const processes = await this.processes();
    for (const { pid } of processes) kill(pid, 'SIGUSR2');
    await waitUntil(async () => (await this.#reports()).length >= processes.length, {
      timeoutMs: 3000,
    }).catch(() => undefined);
    const stacks = (await Promise.all((await this.#reports()).map(readText))).map(stackOf);
    const commands = processes.map(({ pid, command }) => `${pid} ${command}`);
    const log = (await this.logs()).split('\n').slice(-40);
    return ['processes:', ...commands, 'stacks:', ...stacks, 'logs:', ...log].join('\n');
  }

  async #reports(): Promise<readonly string[]> {
    const names = (await readdir(this.root)).filter((name) => name.startsWith('report.'));
    return names.map((name) => join(this.root, name));
  }

  async #stateFiles(): Promise<readonly string[]> {
    const state = join(this.root, 'state');
    const names = await readdir(state, { recursive: true }).catch(() => []);
    return names.map((name) => join(state, name));
  }
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** The JavaScript stack of a diagnostic report; a process that waits for events has none. */
function stackOf(report: string): string {
  const { header, javascriptStack } = JSON.parse(report) as {
    readonly header: { readonly processId: number };
    readonly javascriptStack?: { readonly stack?: readonly string[] };
  };
  return [`${header.processId}:`, ...(javascriptStack?.stack ?? [])].join('\n  ');
}

function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}
