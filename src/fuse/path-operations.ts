import { constants } from 'node:fs';
import type { Done, Operations, Stat, Statfs } from 'fuse-native';
import { millisecondsOf, nanosecondsOf } from '../lib/nanoseconds.ts';
import { NEVER_ABORTED } from '../lib/shared-signals.ts';
import type {
  AttributeChanges,
  Attributes,
  DirSink,
  Entry,
  FileHandle,
  FileSystem,
  OpenReply,
  RequestContext,
} from '../vfs/file-system.ts';
import { PathWalk } from './path-walk.ts';
import { staleForGone } from './reply-errno.ts';

const BLOCK_BYTES = 512;
const XATTR_FLAG = { CREATE: 1, REPLACE: 2 } as const;
/** chown(2) with -1 leaves an owner as it is; the package passes it as unsigned. */
const KEEP_OWNER = 0xffff_ffff;

/** The objects that all groups of operations need. */
interface Binding {
  readonly fs: FileSystem;
  readonly walk: PathWalk;
  readonly context: RequestContext;
  /** Runs one operation and answers it once, whatever it throws; `adapt` changes the errno of a failure. */
  answer<T>(done: Done<T>, operation: () => T | Promise<T>, adapt?: (errno: number) => number): void;
}

/**
 * A FileSystem as the path-based operations of fuse-native. The interface of libfuse 2 cannot express the calling
 * process, interrupts, flags of rename and create, copies by the server, listings with attributes, and invalidation.
 * These are lost.
 */
export function pathOperations(fs: FileSystem, errnoOf: (error: unknown) => number): Operations {
  const context: RequestContext = {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    pid: 0,
    signal: NEVER_ABORTED,
  };
  const binding: Binding = {
    fs,
    walk: new PathWalk(fs, context),
    context,
    answer(done, operation, adapt = (errno) => errno) {
      Promise.resolve()
        .then(operation)
        .then(
          (value) => done(0, value),
          (error: unknown) => done(-adapt(errnoOf(error))),
        );
    },
  };
  return {
    ...attributeOperations(binding),
    ...nameOperations(binding),
    ...fileOperations(binding),
    ...xattrOperations(binding),
  };
}

function attributeOperations({ fs, walk, context, answer }: Binding) {
  const getattr = (path: string, handle?: FileHandle): Promise<Stat> =>
    walk.withNode(path, async (node) => statOf((await fs.getattr(node, handle, context)).attributes));
  const setattr = (path: string, changes: AttributeChanges, handle?: FileHandle): Promise<undefined> =>
    walk.withNode(path, async (node) => {
      await fs.setattr(node, changes, handle, context);
      return undefined;
    });
  return {
    getattr: (path, done) => answer(done, () => getattr(path)),
    fgetattr: (path, handle, done) => answer(done, () => getattr(path, handle as FileHandle)),
    truncate: (path, sizeBytes, done) => answer(done, () => setattr(path, { sizeBytes })),
    ftruncate: (path, handle, sizeBytes, done) =>
      answer(done, () => setattr(path, { sizeBytes }, handle as FileHandle)),
    utimens: (path, atimeMs, mtimeMs, done) =>
      answer(done, () => setattr(path, { atimeNs: signed(atimeMs), mtimeNs: signed(mtimeMs) })),
    chmod: (path, mode, done) => answer(done, () => setattr(path, { mode })),
    chown: (path, uid, gid, done) =>
      answer(done, () =>
        setattr(path, { ...(uid !== KEEP_OWNER && { uid }), ...(gid !== KEEP_OWNER && { gid }) }),
      ),
    statfs: (path, done) => answer(done, () => walk.withNode(path, (node) => statfs(fs, node, context))),
  } satisfies Partial<Operations>;
}

function nameOperations({ fs, walk, context, answer }: Binding) {
  /** The kernel looks up what was made by its path. */
  const made = async (entry: Entry | Promise<Entry>): Promise<undefined> => {
    fs.forget((await entry).node, 1);
    return undefined;
  };
  const nothing = async (work: void | Promise<void>): Promise<undefined> => {
    await work;
    return undefined;
  };
  return {
    // By an open the kernel looks up anew what is gone; by a reading it would not.
    opendir: (path, _flags, done) =>
      answer(done, () => walk.withNode(path, (node) => opened(fs, node, context)), staleForGone),
    readdir: (path, done) =>
      answer(done, () => walk.withNode(path, (node) => namesIn(fs, node, context)), staleForGone),
    readlink: (path, done) => answer(done, () => walk.withNode(path, (node) => fs.readlink(node, context))),
    mknod: (path, mode, _device, done) =>
      answer(done, () =>
        walk.withParent(path, (parent, name) => made(fs.mknod(parent, name, mode, context))),
      ),
    mkdir: (path, mode, done) =>
      answer(done, () =>
        walk.withParent(path, (parent, name) => made(fs.mkdir(parent, name, mode, context))),
      ),
    symlink: (target, path, done) =>
      answer(done, () =>
        walk.withParent(path, (parent, name) => made(fs.symlink(parent, name, target, context))),
      ),
    unlink: (path, done) =>
      answer(done, () => walk.withParent(path, (parent, name) => nothing(fs.unlink(parent, name, context)))),
    rmdir: (path, done) =>
      answer(done, () => walk.withParent(path, (parent, name) => nothing(fs.rmdir(parent, name, context)))),
    rename: (source, target, done) =>
      answer(done, () =>
        walk.withParent(source, (fromParent, fromName) =>
          walk.withParent(target, (toParent, toName) => {
            const flags = { noReplace: false, exchange: false, whiteout: false };
            const from = { parent: fromParent, name: fromName };
            return nothing(fs.rename(from, { parent: toParent, name: toName }, flags, context));
          }),
        ),
      ),
  } satisfies Partial<Operations>;
}

function fileOperations({ fs, walk, context, answer }: Binding) {
  /** Bytes read or written are the package's first argument, where errors are negative. */
  const answerCount = (done: (result: number) => void, operation: () => Promise<number>): void =>
    answer<number>((error, count = 0) => done(error === 0 ? count : error), operation);
  const settle = async (work: void | Promise<void>): Promise<undefined> => {
    await work;
    return undefined;
  };
  return {
    open: (path, flags, done) =>
      answer(done, () => walk.withNode(path, async (node) => handleOf(await fs.open(node, flags, context)))),
    // The package does not pass the flags on.
    create: (path, mode, done) =>
      answer(done, () =>
        walk.withParent(path, async (parent, name) => {
          const created = await fs.create(parent, name, mode, constants.O_RDWR, context);
          fs.forget(created.entry.node, 1);
          return handleOf(created.open);
        }),
      ),
    read: (_path, handle, into, length, offset, done) =>
      answerCount(done, async () => {
        const { chunks, release } = await fs.read(handle as FileHandle, offset, length, context);
        let filled = 0;
        for (const chunk of chunks) {
          into.set(chunk, filled);
          filled += chunk.byteLength;
        }
        release?.();
        return filled;
      }),
    write: (_path, handle, data, length, offset, done) =>
      answerCount(done, async () =>
        fs.write(handle as FileHandle, offset, data.subarray(0, length), context),
      ),
    flush: (_path, handle, done) => answer(done, () => settle(fs.flush(handle as FileHandle, context))),
    fsync: (_path, dataOnly, handle, done) =>
      answer(done, () => settle(fs.fsync(handle as FileHandle, dataOnly !== 0, context))),
    release: (_path, handle, done) => answer(done, () => settle(fs.release(handle as FileHandle))),
  } satisfies Partial<Operations>;
}

function xattrOperations({ fs, walk, context, answer }: Binding) {
  return {
    getxattr: (path, name, _position, done) =>
      answer(done, () =>
        walk.withNode(path, async (node) => Buffer.from(await fs.getxattr(node, name, context))),
      ),
    setxattr: (path, name, value, _position, flags, done) =>
      answer(done, () =>
        walk.withNode(path, async (node) => {
          const create = (flags & XATTR_FLAG.CREATE) !== 0;
          const replace = (flags & XATTR_FLAG.REPLACE) !== 0;
          await fs.setxattr(node, name, Uint8Array.from(value), { create, replace }, context);
          return undefined;
        }),
      ),
    listxattr: (path, done) =>
      answer(done, () => walk.withNode(path, async (node) => [...(await fs.listxattr(node, context))])),
    removexattr: (path, name, done) =>
      answer(done, () =>
        walk.withNode(path, async (node) => {
          await fs.removexattr(node, name, context);
          return undefined;
        }),
      ),
  } satisfies Partial<Operations>;
}

function handleOf(open: OpenReply): number {
  return open.handle;
}

function statOf(attributes: Attributes): Stat {
  return {
    mode: attributes.mode,
    nlink: attributes.nlink,
    uid: attributes.uid,
    gid: attributes.gid,
    size: attributes.sizeBytes,
    blocks: Math.ceil(attributes.sizeBytes / BLOCK_BYTES),
    atime: shownTime(attributes.atimeNs),
    mtime: shownTime(attributes.mtimeNs),
    ctime: shownTime(attributes.ctimeNs),
  };
}

/** The package shows no time before 1970: it would be one 584 million years later. */
function shownTime(timeNs: bigint): Date {
  return new Date(Math.max(0, millisecondsOf(timeNs)));
}

/** The package passes a time as unsigned; before 1970 it is exact to two seconds. */
function signed(ms: number): bigint {
  return nanosecondsOf(ms < 2 ** 63 ? ms : ms - 2 ** 64);
}

async function statfs(fs: FileSystem, node: Entry['node'], context: RequestContext): Promise<Statfs> {
  const statistics = await fs.statfs(node, context);
  return {
    bsize: statistics.blockSize,
    frsize: statistics.blockSize,
    blocks: counted(statistics.blocks),
    bfree: counted(statistics.blocksFree),
    bavail: counted(statistics.blocksFree),
    files: counted(statistics.files),
    ffree: counted(statistics.filesFree),
    favail: counted(statistics.filesFree),
    namemax: statistics.nameLength,
  };
}

/** The package counts with 32 bits. */
function counted(count: number): number {
  return Math.min(count, 2 ** 32 - 1);
}

/** Libfuse names the path again when the directory is read: no handle of ours stays. */
async function opened(fs: FileSystem, node: Entry['node'], context: RequestContext): Promise<number> {
  const { handle } = await fs.opendir(node, context);
  await fs.releasedir(handle);
  return 0;
}

/** All names of a directory, without `.` and `..`. */
async function namesIn(fs: FileSystem, node: Entry['node'], context: RequestContext): Promise<string[]> {
  const names: string[] = [];
  let next = 0;
  const sink: DirSink = {
    add(entry) {
      if (entry.name !== '.' && entry.name !== '..') names.push(entry.name);
      next = entry.nextOffset;
      return true;
    },
  };
  const { handle } = await fs.opendir(node, context);
  try {
    for (let offset = -1; offset !== next; ) {
      offset = next;
      await fs.readdir(handle, offset, sink, context);
    }
    return names;
  } finally {
    await fs.releasedir(handle);
  }
}
