import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import type { MountOptions } from '../../../src/fuse/mount.ts';
import { run } from '../../support/run.ts';

const SERVE = fileURLToPath(new URL('./serve.ts', import.meta.url));
const RUN_TYPESCRIPT = fileURLToPath(new URL('../../support/run-typescript.mjs', import.meta.url));

export type Command =
  | 'operations'
  | 'references'
  | 'stalled'
  | 'aborted'
  | 'release'
  | 'invalidateMany'
  | 'changeStalledDirectory'
  | 'placeBeforeMount'
  | 'replaceUnseen'
  | 'replaceManyUnseen'
  | 'mountBeside'
  | 'unmountBeside'
  | 'unmount'
  | 'detach'
  | 'exit'
  | 'crash';

type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };
type Greeting = { readonly mounted?: true; readonly failed?: { kind: string; message: string } };

interface StartOptions {
  readonly driver?: 'fuse-native';
  /** The user and group to serve as. */
  readonly uid?: number;
  readonly path?: string;
}

/** A mount of serve.ts in a child process, on a directory of its own. */
export class ServedMount {
  readonly path: string;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  #lastId = 0;

  private constructor(path: string, child: ChildProcess) {
    this.path = path;
    this.child = child;
    this.exited = once(child, 'exit');
  }

  /** Rejects with `kind: message` of the MountError. */
  static async start(options: Partial<MountOptions> & StartOptions = {}): Promise<ServedMount> {
    const { uid, path = mountPoint(), ...mountOptions } = options;
    const child = fork(SERVE, [path, JSON.stringify(mountOptions)], {
      execArgv: ['--import', RUN_TYPESCRIPT],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const mount = new ServedMount(path, child);
    const [greeting] = (await Promise.race([
      once(child, 'message'),
      mount.exited.then((status) => [{ failed: { kind: 'exit', message: String(status) } }]),
    ])) as [Greeting];
    if (greeting.failed !== undefined) {
      await mount.exited;
      throw new Error(`${greeting.failed.kind}: ${greeting.failed.message}`);
    }
    return mount;
  }

  in(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** Runs a command in the child; rejects with what it threw, or when the child ends first. */
  async call<T = unknown>(command: Command): Promise<T> {
    const id = ++this.#lastId;
    const answer = new Promise<Answer>((resolve) => {
      const onMessage = (message: Answer): void => {
        if (message.id !== id) return;
        this.child.off('message', onMessage);
        resolve(message);
      };
      this.child.on('message', onMessage);
    });
    this.child.send({ id, command });
    const ended = this.exited.then((): Answer => ({ id, error: 'the process has ended' }));
    const { value, error } = await Promise.race([answer, ended]);
    if (error !== undefined) throw new Error(error);
    return value as T;
  }

  /** Runs a shell script in the mount. */
  shell(script: string): ReturnType<typeof run> {
    return run('bash', ['--norc', '-euo', 'pipefail', '-c', `cd "$0"; ${script}`, this.path], {
      timeoutMs: 30_000,
    });
  }

  /** Takes everything away, in whatever state it is. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await this.exited;
    }
    await run('umount', ['-f', '-l', '-q', this.path]);
    await run('rmdir', [this.path]);
  }
}

/** A new empty directory that everyone may reach. */
export function mountPoint(): string {
  return dirSync({ prefix: 'svcfs-kernel-', mode: 0o755 }).name;
}
