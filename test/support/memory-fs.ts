import { constants } from 'node:fs';
import { nanosecondsOf } from '../../src/lib/nanoseconds.ts';
import { FsError } from '../../src/vfs/errors/fs-error.ts';
import type {
  AbsentEntry,
  AttributeChanges,
  Attributes,
  AttributesReply,
  Awaitable,
  DirSink,
  Entry,
  FileHandle,
  FileSystem,
  FileSystemStatistics,
  KernelCaches,
  NodeId,
  OpenDirectoryReply,
  OpenReply,
  ReadReply,
  RenameFlags,
  RequestContext,
  SetxattrMode,
} from '../../src/vfs/file-system.ts';
import { ROOT_NODE } from '../../src/vfs/file-system.ts';

const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, O_TRUNC } = constants;

interface MemoryNode {
  readonly id: NodeId;
  mode: number;
  uid: number;
  gid: number;
  mtimeNs: bigint;
  atimeNs: bigint;
  bytes: Buffer;
  sizeBytes: number;
  readonly children: Map<string, MemoryNode>;
  readonly xattrs: Map<string, Uint8Array>;
  /** The kernel's references. */
  lookups: number;
}

export interface MemoryFsOptions {
  /** The time for which the kernel may remember entries and attributes; 0 makes it ask each time. */
  readonly ttlMs?: number;
}

/** A file system in memory that answers everything at once: the smallest that real tools work on. */
export class MemoryFs implements FileSystem {
  readonly #ttlMs: number;
  readonly #nodes = new Map<NodeId, MemoryNode>();
  readonly #handles = new Map<FileHandle, MemoryNode>();
  #lastId = 0;
  #lastHandle = 0;
  caches: KernelCaches | undefined;
  detached = false;

  constructor(options: MemoryFsOptions = {}) {
    this.#ttlMs = options.ttlMs ?? 0;
    this.#make(S_IFDIR | 0o755, { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
  }

  /** Lookup counts of all nodes the kernel still knows, the root apart, and open handles. */
  references(): { lookups: number; handles: number } {
    let lookups = 0;
    for (const node of this.#nodes.values()) lookups += node.lookups;
    return { lookups, handles: this.#handles.size };
  }

  /** Puts a file there without the kernel's knowledge. */
  place(name: string, bytes: Buffer): NodeId {
    const node = this.#make(S_IFREG | 0o644, { uid: 0, gid: 0 });
    node.bytes = bytes;
    node.sizeBytes = bytes.length;
    this.node(ROOT_NODE).children.set(name, node);
    return node.id;
  }

  attach(caches: KernelCaches): void {
    this.caches = caches;
  }

  detach(): void {
    this.detached = true;
  }

  lookup(parent: NodeId, name: string, _context: RequestContext): Awaitable<Entry | AbsentEntry> {
    const node = this.node(parent).children.get(name);
    return node === undefined ? { node: undefined, entryTtlMs: this.#ttlMs } : this.#entry(node);
  }

  forget(id: NodeId, count: number): void {
    this.node(id).lookups -= count;
  }

  knownDirectory(parent: NodeId, name: string): NodeId | undefined {
    const known = this.node(parent).children.get(name);
    return known !== undefined && (known.mode & S_IFMT) === S_IFDIR ? known.id : undefined;
  }

  getattr(id: NodeId, _handle: FileHandle | undefined, _context: RequestContext): Awaitable<AttributesReply> {
    return { attributes: this.#attributes(this.node(id)), ttlMs: this.#ttlMs };
  }

  setattr(
    id: NodeId,
    changes: AttributeChanges,
    handle: FileHandle | undefined,
    context: RequestContext,
  ): Awaitable<AttributesReply> {
    const node = this.node(id);
    const now = nanosecondsOf(Date.now());
    if (changes.sizeBytes !== undefined) this.#resize(node, changes.sizeBytes);
    if (changes.mode !== undefined) node.mode = (node.mode & S_IFMT) | (changes.mode & ~S_IFMT);
    if (changes.uid !== undefined) node.uid = changes.uid;
    if (changes.gid !== undefined) node.gid = changes.gid;
    if (changes.atimeNs !== undefined) node.atimeNs = changes.atimeNs === 'now' ? now : changes.atimeNs;
    if (changes.mtimeNs !== undefined) node.mtimeNs = changes.mtimeNs === 'now' ? now : changes.mtimeNs;
    return this.getattr(id, handle, context);
  }

  access(): void {}

  readlink(id: NodeId): Awaitable<string> {
    return this.node(id).bytes.toString();
  }

  statfs(): Awaitable<FileSystemStatistics> {
    return {
      blockSize: 4096,
      blocks: 2 ** 38,
      blocksFree: 2 ** 37,
      files: 2 ** 32,
      filesFree: 2 ** 32,
      nameLength: 255,
    };
  }

  mkdir(parent: NodeId, name: string, mode: number, context: RequestContext): Awaitable<Entry> {
    return this.#entry(this.#add(parent, name, S_IFDIR | mode, context));
  }

  mknod(parent: NodeId, name: string, mode: number, context: RequestContext): Awaitable<Entry> {
    if ((mode & S_IFMT) !== S_IFREG) throw new FsError('EPERM', 'no pipes, sockets and devices');
    return this.#entry(this.#add(parent, name, mode, context));
  }

  symlink(parent: NodeId, name: string, target: string, context: RequestContext): Awaitable<Entry> {
    const node = this.#add(parent, name, S_IFLNK | 0o777, context);
    node.bytes = Buffer.from(target);
    node.sizeBytes = node.bytes.length;
    return this.#entry(node);
  }

  link(): Awaitable<Entry> {
    throw new FsError('EPERM', 'no hard links');
  }

  unlink(parent: NodeId, name: string, _context: RequestContext): Awaitable<void> {
    this.node(parent).children.delete(name);
  }

  rmdir(parent: NodeId, name: string, _context: RequestContext): Awaitable<void> {
    const children = this.node(parent).children;
    if ((children.get(name)?.children.size ?? 0) > 0) throw new FsError('ENOTEMPTY', 'not empty');
    children.delete(name);
  }

  rename(
    from: { readonly parent: NodeId; readonly name: string },
    to: { readonly parent: NodeId; readonly name: string },
    flags: RenameFlags,
    _context: RequestContext,
  ): Awaitable<void> {
    if (flags.exchange || flags.whiteout) throw new FsError('EINVAL', 'no exchange');
    const source = this.node(from.parent).children.get(from.name);
    const target = this.node(to.parent).children;
    if (source === undefined) throw new FsError('ENOENT', 'no such name');
    if (flags.noReplace && target.has(to.name)) throw new FsError('EEXIST', 'exists');
    this.node(from.parent).children.delete(from.name);
    target.set(to.name, source);
  }

  open(id: NodeId, flags: number, _context: RequestContext): Awaitable<OpenReply> {
    const node = this.node(id);
    if ((flags & O_TRUNC) !== 0) this.#resize(node, 0);
    return { handle: this.#openHandle(node), keepCache: false, directIo: false };
  }

  create(
    parent: NodeId,
    name: string,
    mode: number,
    _flags: number,
    context: RequestContext,
  ): Awaitable<{ readonly entry: Entry; readonly open: OpenReply }> {
    const node = this.#add(parent, name, S_IFREG | mode, context);
    const handle = this.#openHandle(node);
    return { entry: this.#entry(node), open: { handle, keepCache: false, directIo: false } };
  }

  read(
    handle: FileHandle,
    offset: number,
    sizeBytes: number,
    _context: RequestContext,
  ): Awaitable<ReadReply> {
    const node = this.opened(handle);
    return { chunks: [node.bytes.subarray(offset, Math.min(offset + sizeBytes, node.sizeBytes))] };
  }

  write(handle: FileHandle, offset: number, data: Uint8Array, _context: RequestContext): Awaitable<number> {
    const node = this.opened(handle);
    if (offset + data.length > node.sizeBytes) this.#resize(node, offset + data.length);
    node.bytes.set(data, offset);
    node.mtimeNs = nanosecondsOf(Date.now());
    return data.length;
  }

  flush(_handle: FileHandle, _context: RequestContext): Awaitable<void> {}

  fsync(_handle: FileHandle, _dataOnly: boolean, _context: RequestContext): Awaitable<void> {}

  release(handle: FileHandle): Awaitable<void> {
    this.#handles.delete(handle);
  }

  lseek(
    handle: FileHandle,
    offset: number,
    whence: 'data' | 'hole',
    _context: RequestContext,
  ): Awaitable<number> {
    const { sizeBytes } = this.opened(handle);
    if (offset >= sizeBytes) throw new FsError('ENXIO', 'beyond the end');
    return whence === 'data' ? offset : sizeBytes;
  }

  fallocate(
    handle: FileHandle,
    mode: number,
    offset: number,
    length: number,
    _context: RequestContext,
  ): Awaitable<void> {
    if (mode !== 0) throw new FsError('EOPNOTSUPP', 'only growth');
    const node = this.opened(handle);
    if (offset + length > node.sizeBytes) this.#resize(node, offset + length);
  }

  copyFileRange(
    from: { readonly handle: FileHandle; readonly offset: number },
    to: { readonly handle: FileHandle; readonly offset: number },
    length: number,
    context: RequestContext,
  ): Awaitable<number> {
    const source = this.opened(from.handle);
    const bytes = source.bytes.subarray(from.offset, Math.min(from.offset + length, source.sizeBytes));
    return this.write(to.handle, to.offset, bytes, context);
  }

  opendir(id: NodeId, _context: RequestContext): Awaitable<OpenDirectoryReply> {
    return { handle: this.#openHandle(this.node(id)), keepNames: false };
  }

  readdir(handle: FileHandle, offset: number, sink: DirSink, _context: RequestContext): Awaitable<void> {
    const directory = this.opened(handle);
    const entries: [string, MemoryNode][] = [['.', directory], ['..', directory], ...directory.children];
    for (const [index, [name, node]] of entries.entries()) {
      if (index < offset) continue;
      const entry = { name, ino: BigInt(node.id), type: node.mode & S_IFMT, nextOffset: index + 1 };
      if (index < 2 || sink.addWithAttributes === undefined) {
        if (!sink.add(entry)) return;
      } else {
        if (!sink.addWithAttributes(entry, { ...this.#entry(node) })) {
          node.lookups--;
          return;
        }
      }
    }
  }

  releasedir(handle: FileHandle): Awaitable<void> {
    this.#handles.delete(handle);
  }

  fsyncdir(): Awaitable<void> {}

  getxattr(id: NodeId, name: string, _context: RequestContext): Awaitable<Uint8Array> {
    const value = this.node(id).xattrs.get(name);
    if (value === undefined) throw new FsError('ENODATA', 'no such attribute');
    return value;
  }

  setxattr(
    id: NodeId,
    name: string,
    value: Uint8Array,
    mode: SetxattrMode,
    _context: RequestContext,
  ): Awaitable<void> {
    const { xattrs } = this.node(id);
    if (!name.startsWith('user.')) throw new FsError('EOPNOTSUPP', 'user attributes only');
    if (mode.create && xattrs.has(name)) throw new FsError('EEXIST', 'exists');
    if (mode.replace && !xattrs.has(name)) throw new FsError('ENODATA', 'does not exist');
    xattrs.set(name, value);
  }

  listxattr(id: NodeId, _context: RequestContext): Awaitable<readonly string[]> {
    return [...this.node(id).xattrs.keys()];
  }

  removexattr(id: NodeId, name: string, _context: RequestContext): Awaitable<void> {
    if (!this.node(id).xattrs.delete(name)) throw new FsError('ENODATA', 'no such attribute');
  }

  protected node(id: NodeId): MemoryNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new FsError('ESTALE', `no node ${id}`);
    return node;
  }

  protected opened(handle: FileHandle): MemoryNode {
    const node = this.#handles.get(handle);
    if (node === undefined) throw new FsError('EBADF', `no handle ${handle}`);
    return node;
  }

  #openHandle(node: MemoryNode): FileHandle {
    const handle = ++this.#lastHandle as FileHandle;
    this.#handles.set(handle, node);
    return handle;
  }

  #make(mode: number, { uid, gid }: { uid: number; gid: number }): MemoryNode {
    const now = nanosecondsOf(Date.now());
    const node: MemoryNode = {
      id: ++this.#lastId as NodeId,
      mode,
      uid,
      gid,
      mtimeNs: now,
      atimeNs: now,
      bytes: Buffer.alloc(0),
      sizeBytes: 0,
      children: new Map(),
      xattrs: new Map(),
      lookups: 0,
    };
    this.#nodes.set(node.id, node);
    return node;
  }

  #add(parent: NodeId, name: string, mode: number, owner: { uid: number; gid: number }): MemoryNode {
    const { children } = this.node(parent);
    if (children.has(name)) throw new FsError('EEXIST', 'exists');
    const node = this.#make(mode, owner);
    children.set(name, node);
    return node;
  }

  #resize(node: MemoryNode, sizeBytes: number): void {
    if (sizeBytes > node.bytes.length) {
      const bytes = Buffer.alloc(Math.max(sizeBytes, node.bytes.length * 2));
      node.bytes.copy(bytes, 0, 0, node.sizeBytes);
      node.bytes = bytes;
    } else if (sizeBytes > node.sizeBytes) {
      node.bytes.fill(0, node.sizeBytes, sizeBytes);
    }
    node.sizeBytes = sizeBytes;
    node.mtimeNs = nanosecondsOf(Date.now());
  }

  #entry(node: MemoryNode): Entry {
    node.lookups++;
    return {
      node: node.id,
      attributes: this.#attributes(node),
      entryTtlMs: this.#ttlMs,
      attributesTtlMs: this.#ttlMs,
    };
  }

  #attributes(node: MemoryNode): Attributes {
    return {
      ino: BigInt(node.id),
      mode: node.mode,
      nlink: 1,
      uid: node.uid,
      gid: node.gid,
      sizeBytes: node.sizeBytes,
      atimeNs: node.atimeNs,
      mtimeNs: node.mtimeNs,
      ctimeNs: node.mtimeNs,
    };
  }
}
