/**
 * The file system as a kernel driver sees it: inode operations in the terms of the FUSE protocol, without its wire
 * format. The driver `src/fuse` decodes a request, calls one method, and encodes the answer.
 *
 * A method that need not wait answers at once, without a promise. One that fails throws (or rejects with) an error that
 * `errnoOf` turns into an errno. Names are decoded UTF-8; the driver answers EILSEQ to others.
 *
 * Lookup counts (libfuse, `fuse_lowlevel_ops.lookup`): every `Entry` with a node that is returned here counts one
 * reference of the kernel, and so does every one that a `DirSink` accepted. The driver calls `forget` for references that
 * the kernel gave up, and for those whose reply never reached it.
 */

import type { ByteChunks } from '../lib/byte-chunks.ts';

/** Kernel's handle of a node. Ours are counted up from 1 (the root), never reused within a mount. */
export type NodeId = number & { readonly __brand: 'NodeId' };
/** Kernel's handle of an open file or directory, counted up, never reused within a mount. */
export type FileHandle = number & { readonly __brand: 'FileHandle' };

export const ROOT_NODE = 1 as NodeId;

export type Awaitable<T> = T | Promise<T>;

/** The process that asks (`fuse_in_header`), and the signal that INTERRUPT fires. */
export interface RequestContext {
  readonly uid: number;
  readonly gid: number;
  /** Thread id of the caller; 0 when the kernel asks for itself. */
  readonly pid: number;
  readonly signal: AbortSignal;
  /** The driver can pass bytes on from a socket (`ByteChunks.rest`). */
  readonly splices?: boolean;
}

/** stat(2). Times in nanoseconds since the epoch. */
export interface Attributes {
  readonly ino: bigint;
  /** File type and permission bits, as in st_mode. */
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Attributes and how long the kernel may keep them. */
export interface AttributesReply {
  readonly attributes: Attributes;
  readonly ttlMs: number;
}

/** A name's node. `node` undefined: the name is known to be absent, and the kernel may keep that for `entryTtlMs`. */
export interface Entry {
  readonly node: NodeId;
  readonly attributes: Attributes;
  readonly entryTtlMs: number;
  readonly attributesTtlMs: number;
}
export interface AbsentEntry {
  readonly node: undefined;
  readonly entryTtlMs: number;
}

export interface OpenReply {
  readonly handle: FileHandle;
  /** The pages the kernel holds of this node are still those of the version opened. */
  readonly keepCache: boolean;
  /** Bypass the page cache (control files of unknown length). */
  readonly directIo: boolean;
  /** Of `BackingFiles`: what the kernel reads in place of asking; the same for all who have the node open at once. */
  readonly backing?: number | undefined;
  /** How far the kernel should read ahead, where that can be said; undefined: as it does for streams. */
  readonly readaheadBytes?: number | undefined;
}

export interface OpenDirectoryReply {
  readonly handle: FileHandle;
  /** The names the kernel holds of this directory are still all there is. */
  readonly keepNames: boolean;
}

/** Bytes of a file; the driver calls `release` once the reply is written. */
export type ReadReply = ByteChunks;

/** The attributes that SETATTR may change; absent keys stay. A time `'now'` is the file system's own. */
export interface AttributeChanges {
  readonly sizeBytes?: number;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly atimeNs?: bigint | 'now';
  readonly mtimeNs?: bigint | 'now';
  /** Clear set-user-id and set-group-id (FUSE_HANDLE_KILLPRIV_V2). */
  readonly killSuidgid?: boolean;
}

export interface DirEntry {
  readonly name: string;
  readonly ino: bigint;
  /** The file type bits of st_mode (S_IFMT). */
  readonly type: number;
  /** Where a later READDIR goes on after this entry. */
  readonly nextOffset: number;
}

/**
 * Takes directory entries until the reply is full. Both methods answer false when the entry did not fit: it was
 * not placed, and the listing ends there. `addWithAttributes` is there on READDIRPLUS only; each entry it accepts
 * counts one lookup (`.` and `..` go through `add` always).
 */
export interface DirSink {
  add(entry: DirEntry): boolean;
  addWithAttributes?(entry: DirEntry, found: Entry): boolean;
}

export interface FileSystemStatistics {
  readonly blockSize: number;
  readonly blocks: number;
  readonly blocksFree: number;
  readonly files: number;
  readonly filesFree: number;
  readonly nameLength: number;
}

/** Flags of setxattr(2) and renameat2(2). */
export interface SetxattrMode {
  readonly create: boolean;
  readonly replace: boolean;
}
export interface RenameFlags {
  readonly noReplace: boolean;
  readonly exchange: boolean;
  readonly whiteout: boolean;
}

/** The kernel's caches, as the file system asks to change them. Calls return at once and never wait for the kernel. */
export interface KernelCaches {
  /** Forget what `name` in `parent` is, with everything below it. */
  invalidateEntry(parent: NodeId, name: string): void;
  /** The reply to a LOOKUP of `name` tells what it is now: the kernel need not be told any more to forget what it was before. */
  lookedUp(parent: NodeId, name: string): void;
  /** Forget attributes, and the pages from `offset` on; a negative offset keeps the pages. */
  invalidateNode(node: NodeId, offset?: number): void;
}

/** Files of this machine that the kernel may read in place of asking for a node's bytes (FUSE passthrough). */
export interface BackingFiles {
  /** A number for the file of a descriptor, which may be closed then. Throws when it is not permitted. */
  open(descriptor: number): number;
  /** A handle that has a node open with it keeps it. */
  close(id: number): void;
}

export interface FileSystem {
  /** Called once, before the first request; with `backings` when the kernel takes them. */
  attach(caches: KernelCaches, backings?: BackingFiles): void;
  /** Called once, after the last request: ends timers, waits for nothing. */
  detach(): void;

  lookup(parent: NodeId, name: string, context: RequestContext): Awaitable<Entry | AbsentEntry>;
  forget(node: NodeId, count: number): void;
  /** The directory that the kernel may know by this name, at once and without a reference; undefined when there is none. */
  knownDirectory(parent: NodeId, name: string): NodeId | undefined;

  getattr(node: NodeId, handle: FileHandle | undefined, context: RequestContext): Awaitable<AttributesReply>;
  setattr(
    node: NodeId,
    changes: AttributeChanges,
    handle: FileHandle | undefined,
    context: RequestContext,
  ): Awaitable<AttributesReply>;
  access(node: NodeId, mask: number, context: RequestContext): Awaitable<void>;
  readlink(node: NodeId, context: RequestContext): Awaitable<string>;
  statfs(node: NodeId, context: RequestContext): Awaitable<FileSystemStatistics>;

  mkdir(parent: NodeId, name: string, mode: number, context: RequestContext): Awaitable<Entry>;
  /** `mode` says what kind of file (S_IFMT): EPERM for what is not stored. */
  mknod(parent: NodeId, name: string, mode: number, context: RequestContext): Awaitable<Entry>;
  symlink(parent: NodeId, name: string, target: string, context: RequestContext): Awaitable<Entry>;
  link(node: NodeId, newParent: NodeId, newName: string, context: RequestContext): Awaitable<Entry>;
  unlink(parent: NodeId, name: string, context: RequestContext): Awaitable<void>;
  rmdir(parent: NodeId, name: string, context: RequestContext): Awaitable<void>;
  rename(
    from: { readonly parent: NodeId; readonly name: string },
    to: { readonly parent: NodeId; readonly name: string },
    flags: RenameFlags,
    context: RequestContext,
  ): Awaitable<void>;

  /** `flags` are those of open(2). */
  open(node: NodeId, flags: number, context: RequestContext): Awaitable<OpenReply>;
  create(
    parent: NodeId,
    name: string,
    mode: number,
    flags: number,
    context: RequestContext,
  ): Awaitable<{ readonly entry: Entry; readonly open: OpenReply }>;
  read(handle: FileHandle, offset: number, sizeBytes: number, context: RequestContext): Awaitable<ReadReply>;
  /** `data` is the driver's buffer, valid until the answer settles. Answers the bytes taken. */
  write(handle: FileHandle, offset: number, data: Uint8Array, context: RequestContext): Awaitable<number>;
  /** One per close(2) of a descriptor: several per handle, some before the first write. */
  flush(handle: FileHandle, context: RequestContext): Awaitable<void>;
  fsync(handle: FileHandle, dataOnly: boolean, context: RequestContext): Awaitable<void>;
  /** The last reference is gone. Nobody learns of an error here. */
  release(handle: FileHandle): Awaitable<void>;
  lseek(
    handle: FileHandle,
    offset: number,
    whence: 'data' | 'hole',
    context: RequestContext,
  ): Awaitable<number>;
  fallocate(
    handle: FileHandle,
    mode: number,
    offset: number,
    length: number,
    context: RequestContext,
  ): Awaitable<void>;
  /** Answers the bytes copied; EXDEV sends the caller back to read and write. */
  copyFileRange(
    from: { readonly handle: FileHandle; readonly offset: number },
    to: { readonly handle: FileHandle; readonly offset: number },
    length: number,
    context: RequestContext,
  ): Awaitable<number>;

  opendir(node: NodeId, context: RequestContext): Awaitable<OpenDirectoryReply>;
  /** Gives the entries from `offset` (0: the start, else a `nextOffset`) to the sink. */
  readdir(handle: FileHandle, offset: number, sink: DirSink, context: RequestContext): Awaitable<void>;
  releasedir(handle: FileHandle): Awaitable<void>;
  fsyncdir(handle: FileHandle, dataOnly: boolean, context: RequestContext): Awaitable<void>;

  getxattr(node: NodeId, name: string, context: RequestContext): Awaitable<Uint8Array>;
  setxattr(
    node: NodeId,
    name: string,
    value: Uint8Array,
    mode: SetxattrMode,
    context: RequestContext,
  ): Awaitable<void>;
  listxattr(node: NodeId, context: RequestContext): Awaitable<readonly string[]>;
  removexattr(node: NodeId, name: string, context: RequestContext): Awaitable<void>;
}
