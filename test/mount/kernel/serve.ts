/**
 * The child process of the kernel tests: mounts a file system in memory with a few names that misbehave, and does what
 * the test says over IPC. Arguments: the mount point, and MountOptions as JSON.
 */
import { mkdir, rmdir } from 'node:fs/promises';
import { mountFuseNative } from '../../../src/fuse/fuse-native-driver.ts';
import type { Mount } from '../../../src/fuse/mount.ts';
import { mountNative } from '../../../src/fuse/mount-native.ts';
import { errnoNumber } from '../../../src/lib/errno.ts';
import { FsError } from '../../../src/vfs/errors/fs-error.ts';
import type {
  AbsentEntry,
  Awaitable,
  Entry,
  FileHandle,
  NodeId,
  ReadReply,
  RenameFlags,
  RequestContext,
  SetxattrMode,
} from '../../../src/vfs/file-system.ts';
import { ROOT_NODE } from '../../../src/vfs/file-system.ts';
import { MemoryFs } from '../../support/memory-fs.ts';
import type { Command } from './served-mount.ts';

/**
 * Reads of `stalled`, renames and removals of directories from `stalled*`, and what is done to `user.stalled` of a directory wait
 * for the test; a lookup of `bug` throws what nobody expects.
 */
class MisbehavingFs extends MemoryFs {
  stalledNode: NodeId | undefined;
  stalledDirectory: NodeId | undefined;
  #waiting: (() => void)[] = [];
  aborted = 0;

  get stalled(): number {
    return this.#waiting.length;
  }

  goOn(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  override lookup(parent: NodeId, name: string, context: RequestContext): Awaitable<Entry | AbsentEntry> {
    if (name === 'bug') throw new TypeError('undefined is not a function');
    if (name === 'rejection') return Promise.reject(new RangeError('out of range'));
    return super.lookup(parent, name, context);
  }

  override read(
    handle: FileHandle,
    offset: number,
    size: number,
    context: RequestContext,
  ): Awaitable<ReadReply> {
    const answer = super.read(handle, offset, size, context);
    return this.opened(handle).id === this.stalledNode ? this.#stall(context).then(() => answer) : answer;
  }

  override rename(
    from: { readonly parent: NodeId; readonly name: string },
    to: { readonly parent: NodeId; readonly name: string },
    flags: RenameFlags,
    context: RequestContext,
  ): Awaitable<void> {
    const rename = (): Awaitable<void> => super.rename(from, to, flags, context);
    if (!from.name.startsWith('stalled')) return rename();
    return this.#stallDirectory(this.knownDirectory(from.parent, from.name), context).then(rename);
  }

  override rmdir(parent: NodeId, name: string, context: RequestContext): Awaitable<void> {
    const rmdir = (): Awaitable<void> => super.rmdir(parent, name, context);
    if (!name.startsWith('stalled')) return rmdir();
    return this.#stallDirectory(this.knownDirectory(parent, name), context).then(rmdir);
  }

  override setxattr(
    id: NodeId,
    name: string,
    value: Uint8Array,
    mode: SetxattrMode,
    context: RequestContext,
  ): Awaitable<void> {
    const set = (): Awaitable<void> => super.setxattr(id, name, value, mode, context);
    return name === 'user.stalled' ? this.#stallDirectory(id, context).then(set) : set();
  }

  override removexattr(id: NodeId, name: string, context: RequestContext): Awaitable<void> {
    const remove = (): Awaitable<void> => super.removexattr(id, name, context);
    return name === 'user.stalled' ? this.#stallDirectory(id, context).then(remove) : remove();
  }

  #stallDirectory(id: NodeId | undefined, context: RequestContext): Promise<void> {
    this.stalledDirectory = id;
    return this.#stall(context);
  }

  #stall(context: RequestContext): Promise<void> {
    context.signal.addEventListener('abort', () => this.aborted++);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

const [mountPoint = '', json = '{}'] = process.argv.slice(2);
const { driver, ...options } = JSON.parse(json);
const operations: Record<string, number> = {};
const errnoOf = (error: unknown): number => errnoNumber(error instanceof FsError ? error.errno : 'EIO');
let beside: Mount | undefined;
const fs = new MisbehavingFs({ ttlMs: 60_000 });
fs.stalledNode = fs.place('stalled', Buffer.from('late\n'));

const mountWith = driver === 'fuse-native' ? mountFuseNative : mountNative;
const mount = await mountWith(fs, {
  mountPoint,
  fsName: 'svcfs-test',
  errnoOf,
  observer: {
    onReply: ({ operation }) => {
      operations[operation] = (operations[operation] ?? 0) + 1;
    },
  },
  ...options,
}).catch((error: { kind?: string; message: string }) => {
  process.send?.({ failed: { kind: error.kind, message: error.message } });
  process.disconnect?.();
  return undefined;
});

const commands: Record<Command, () => unknown> = {
  operations: () => operations,
  references: () => fs.references(),
  stalled: () => fs.stalled,
  aborted: () => fs.aborted,
  release: () => fs.goOn(),
  invalidateMany: () => {
    for (let i = 0; i < 500; i++) {
      fs.caches?.invalidateEntry(ROOT_NODE, `name-${i % 100}`);
      if (fs.stalledNode !== undefined) fs.caches?.invalidateNode(fs.stalledNode, i % 2);
    }
  },
  /** Another client makes a file in the directory that is being moved or removed, or whose attribute is being changed. */
  changeStalledDirectory: () => {
    if (fs.stalledDirectory !== undefined) fs.caches?.invalidateEntry(fs.stalledDirectory, 'made');
  },
  /** Another client replaces the file `changed`, and hundreds of others. */
  replaceManyUnseen: () => {
    fs.place('changed', Buffer.from('newer\n'));
    for (let i = 0; i < 500; i++) fs.caches?.invalidateEntry(ROOT_NODE, i === 250 ? 'changed' : `name-${i}`);
  },
  /** Another client replaces the file `changed`. */
  replaceUnseen: () => {
    fs.place('changed', Buffer.from('new\n'));
    fs.caches?.invalidateEntry(ROOT_NODE, 'changed');
  },
  placeBeforeMount: () => fs.place('changed', Buffer.from('old\n')),
  /** A second mount of this process, on a directory beside the first. */
  mountBeside: async () => {
    const path = `${mountPoint}-beside`;
    await mkdir(path);
    beside = await mountNative(new MemoryFs(), { mountPoint: path, fsName: 'beside', errnoOf });
    return path;
  },
  unmountBeside: async () => {
    await beside?.unmount();
    await rmdir(`${mountPoint}-beside`);
  },
  unmount: () => mount?.unmount(),
  detach: () => mount?.detachNow(),
  exit: () => process.exit(0),
  crash: () => {
    setImmediate(() => {
      throw new Error('uncaught, on purpose');
    });
  },
};

/** Set while a command is carried out: its answer goes out before the channel closes. */
let busy: Promise<void> = Promise.resolve();

async function answer(id: number, command: Command): Promise<void> {
  const outcome = await Promise.resolve()
    .then(() => commands[command]())
    .then(
      (value) => ({ id, value }),
      (error: unknown) => ({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  await new Promise((resolve) => process.send?.(outcome, resolve));
}

process.on('message', ({ id, command }: { id: number; command: Command }) => {
  busy = answer(id, command);
});

if (mount !== undefined) {
  void mount.closed.then(async () => {
    await busy;
    process.disconnect?.();
  });
  process.send?.({ mounted: true });
}
