/**
 * The file system as the kernel driver calls it: numbers become nodes, one operation is called, its nodes become
 * entries. The operations themselves are in the folders beside this file.
 */
import type { Details } from './directories/details.ts';
import { FsError } from './errors/fs-error.ts';
import type {
  AbsentEntry,
  AttributeChanges,
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
} from './file-system.ts';
import type { Listing } from './listing/listing.ts';
import type { OpenDirectories } from './listing/open-directories.ts';
import type { PlatformTree } from './listing/platform-tree.ts';
import { lacksSize } from './model/identity.ts';
import { requireNameLength } from './model/names.ts';
import type { DirectoryNode, Node } from './model/node.ts';
import { isDirectory } from './model/node.ts';
import type { FileNode, Mutations, OpenFiles, Place } from './model/operations.ts';
import type { Xattrs } from './xattr/xattrs.ts';

export interface FileSystemParts {
  readonly tree: PlatformTree;
  readonly directories: OpenDirectories;
  readonly files: OpenFiles;
  readonly mutations: Mutations;
  readonly xattrs: Xattrs;
  readonly details: Details;
}

type PlaceById = { readonly parent: NodeId; readonly name: string };

export class SvcFileSystem implements FileSystem {
  readonly #tree: PlatformTree;
  readonly #directories: OpenDirectories;
  readonly #files: OpenFiles;
  readonly #mutations: Mutations;
  readonly #xattrs: Xattrs;
  readonly #details: Details;

  constructor(parts: FileSystemParts) {
    this.#tree = parts.tree;
    this.#directories = parts.directories;
    this.#files = parts.files;
    this.#mutations = parts.mutations;
    this.#xattrs = parts.xattrs;
    this.#details = parts.details;
  }

  attach(caches: KernelCaches): void {
    this.#tree.kernel.attach(caches);
  }

  detach(): void {
    this.#tree.kernel.attach(undefined);
    this.#tree.close();
    this.#files.close();
  }

  lookup(parent: NodeId, name: string, context: RequestContext): Awaitable<Entry | AbsentEntry> {
    // A program that is about to make it looks it up first.
    requireNameLength(name);
    // An absent name can be made once this has the path looked up again: mkdir(2) does not do so for a lookup that fails.
    if (this.#isAbsentElsewhere(parent, name)) return { node: undefined, entryTtlMs: 0 };
    const place = this.#place({ parent, name });
    const found = this.#tree.childToShow(place.parent, name, context.signal);
    if (!(found instanceof Promise) && !(found && lacksSize(found))) return this.#found(found, place);
    return this.#foundLater(found, place, context.signal);
  }

  forget(node: NodeId, count: number): void {
    this.#tree.nodes.forget(node, count);
  }

  knownDirectory(parent: NodeId, name: string): NodeId | undefined {
    const known = this.#tree.nodes.directory(parent).children.get(name);
    return known?.kind === 'present' && isDirectory(known.node) ? known.node.id : undefined;
  }

  getattr(id: NodeId, _handle: FileHandle | undefined, context: RequestContext): Awaitable<AttributesReply> {
    return this.#tree.currentAttributesOf(this.#tree.nodes.get(id), context.signal);
  }

  async setattr(
    id: NodeId,
    changes: AttributeChanges,
    handle: FileHandle | undefined,
    context: RequestContext,
  ): Promise<AttributesReply> {
    const node = this.#tree.nodes.get(id);
    // All else that is done inside a project begins with a lookup in it; chmod(1) of its directory does not.
    await this.#details.ofNode(node, context.signal);
    await this.#mutations.setattr(node, changes, { handle, context });
    return this.#tree.attributesOf(node);
  }

  access(node: NodeId): void {
    // The kernel checks permissions by the mode (`default_permissions`); it asks for nothing else here.
    this.#tree.nodes.get(node);
  }

  readlink(node: NodeId, context: RequestContext): Awaitable<string> {
    return this.#mutations.readlink(this.#tree.nodes.get(node), context);
  }

  statfs(): FileSystemStatistics {
    return STATISTICS;
  }

  async mkdir(parent: NodeId, name: string, mode: number, context: RequestContext): Promise<Entry> {
    return this.#entry(await this.#mutations.mkdir(this.#place({ parent, name }), mode, context));
  }

  async mknod(parent: NodeId, name: string, mode: number, context: RequestContext): Promise<Entry> {
    return this.#entry(await this.#mutations.mknod(this.#place({ parent, name }), mode, context));
  }

  async symlink(parent: NodeId, name: string, target: string, context: RequestContext): Promise<Entry> {
    return this.#entry(await this.#mutations.symlink(this.#place({ parent, name }), target, context));
  }

  async link(node: NodeId, newParent: NodeId, newName: string, context: RequestContext): Promise<Entry> {
    const place = this.#place({ parent: newParent, name: newName });
    return this.#entry(await this.#mutations.link(this.#tree.nodes.get(node), place, context));
  }

  unlink(parent: NodeId, name: string, context: RequestContext): Awaitable<void> {
    return this.#mutations.unlink(this.#place({ parent, name }), context);
  }

  rmdir(parent: NodeId, name: string, context: RequestContext): Awaitable<void> {
    return this.#mutations.rmdir(this.#place({ parent, name }), context);
  }

  rename(from: PlaceById, to: PlaceById, flags: RenameFlags, context: RequestContext): Awaitable<void> {
    return this.#mutations.rename(this.#place(from), this.#place(to), { flags, context });
  }

  open(id: NodeId, flags: number, context: RequestContext): Awaitable<OpenReply> {
    return this.#files.open(this.#file(id), flags, context);
  }

  async create(
    parent: NodeId,
    name: string,
    mode: number,
    flags: number,
    context: RequestContext,
  ): Promise<{ readonly entry: Entry; readonly open: OpenReply }> {
    const { node, open } = await this.#files.create(this.#place({ parent, name }), { mode, flags }, context);
    return { entry: this.#entry(node), open };
  }

  read(handle: FileHandle, offset: number, sizeBytes: number, context: RequestContext): Awaitable<ReadReply> {
    return this.#files.read({ handle, offset }, sizeBytes, context);
  }

  write(handle: FileHandle, offset: number, data: Uint8Array, context: RequestContext): Awaitable<number> {
    return this.#files.write({ handle, offset }, data, context);
  }

  flush(handle: FileHandle, context: RequestContext): Awaitable<void> {
    return this.#files.flush(handle, context);
  }

  fsync(handle: FileHandle, dataOnly: boolean, context: RequestContext): Awaitable<void> {
    return this.#files.fsync(handle, dataOnly, context);
  }

  release(handle: FileHandle): Awaitable<void> {
    return this.#files.release(handle);
  }

  lseek(
    handle: FileHandle,
    offset: number,
    whence: 'data' | 'hole',
    context: RequestContext,
  ): Awaitable<number> {
    return this.#files.lseek({ handle, offset }, whence, context);
  }

  fallocate(
    handle: FileHandle,
    mode: number,
    offset: number,
    length: number,
    context: RequestContext,
  ): Awaitable<void> {
    return this.#files.fallocate({ handle, offset }, { mode, length }, context);
  }

  copyFileRange(
    from: { readonly handle: FileHandle; readonly offset: number },
    to: { readonly handle: FileHandle; readonly offset: number },
    length: number,
    context: RequestContext,
  ): Awaitable<number> {
    return this.#files.copyFileRange(from, to, { length, context });
  }

  opendir(id: NodeId, context: RequestContext): Awaitable<OpenDirectoryReply> {
    const directory = this.#directory(id);
    const confirmed = this.#tree.confirm(directory, context.signal);
    if (!(confirmed instanceof Promise)) return this.#opened(directory, confirmed);
    return confirmed.then((listing) => this.#opened(directory, listing));
  }

  readdir(handle: FileHandle, offset: number, sink: DirSink, context: RequestContext): Awaitable<void> {
    return this.#directories.read(handle, offset, { sink, signal: context.signal });
  }

  releasedir(handle: FileHandle): void {
    this.#directories.release(handle);
  }

  fsyncdir(handle: FileHandle): void {
    // A change of a directory is on the platform before its call returns.
    this.#directories.directoryOf(handle);
  }

  getxattr(node: NodeId, name: string, context: RequestContext): Awaitable<Uint8Array> {
    return this.#xattrs.get(this.#tree.nodes.get(node), name, context.signal);
  }

  setxattr(
    node: NodeId,
    name: string,
    value: Uint8Array,
    mode: SetxattrMode,
    context: RequestContext,
  ): Awaitable<void> {
    return this.#xattrs.set(this.#tree.nodes.get(node), { name, value }, { mode, signal: context.signal });
  }

  listxattr(node: NodeId): readonly string[] {
    return this.#xattrs.list(this.#tree.nodes.get(node));
  }

  removexattr(node: NodeId, name: string, context: RequestContext): Awaitable<void> {
    return this.#xattrs.remove(this.#tree.nodes.get(node), name, context.signal);
  }

  #opened(directory: DirectoryNode, begun: Listing | undefined): OpenDirectoryReply {
    const handle = this.#directories.open(directory, begun);
    return { handle, keepNames: this.#directories.givesTheSame(handle) };
  }

  async #foundLater(
    found: Awaitable<Node | undefined>,
    place: Place,
    signal: AbortSignal,
  ): Promise<Entry | AbsentEntry> {
    const node = await found;
    if (node && lacksSize(node)) await this.#tree.currentAttributesOf(node, signal);
    return this.#found(node, place);
  }

  #found(node: Node | undefined, { parent, name }: Place): Entry | AbsentEntry {
    if (node) {
      // Its attributes may have been waited for: another entry that got the name meanwhile is still to be told.
      const known = parent.children.get(name);
      if (known?.kind === 'present' && known.node === node) this.#tree.kernel.lookedUp(parent.id, name);
      return this.#entry(node);
    }
    return { node: undefined, entryTtlMs: this.#tree.absenceTtl(parent, name) };
  }

  /** For a reply: the kernel now holds one more reference. */
  #entry(node: Node): Entry {
    node.lookups++;
    return this.#tree.entryOf(node);
  }

  #place({ parent, name }: PlaceById): Place {
    return { parent: this.#directory(parent), name };
  }

  /**
   * ESTALE: it is out of the tree, and the kernel, which has not heard of that yet, looks its path up again. A folder that was
   * moved to another project is another node, which has its names.
   */
  #directory(id: NodeId): DirectoryNode {
    const directory = this.#tree.nodes.directory(id);
    if (this.#isInTree(directory)) return directory;
    throw new FsError('ESTALE', `${directory.name} was moved or removed`);
  }

  #isInTree(directory: DirectoryNode): boolean {
    return directory.parent !== undefined || directory === this.#tree.root;
  }

  /** Whether nothing had this name in a directory when that went out of the tree. */
  #isAbsentElsewhere(id: NodeId, name: string): boolean {
    const directory = this.#tree.nodes.directory(id);
    // The kernel has no path to look the top of the mount up by.
    if (this.#isInTree(directory) || directory === this.#tree.top) return false;
    const known = directory.children.get(name);
    return known ? known.kind === 'absent' : directory.children.completeMs !== undefined;
  }

  #file(id: NodeId): FileNode {
    const node = this.#tree.nodes.get(id);
    if (isDirectory(node)) throw new FsError('EISDIR', `${node.name} is a directory`);
    if (node.kind === 'special-file') throw new FsError('ENXIO', `${node.name} has no content of its own`);
    return node;
  }
}

/** The platform tells no limits: as large as df(1) shows without losing digits. */
const STATISTICS: FileSystemStatistics = {
  blockSize: 4096,
  blocks: 2 ** 38,
  blocksFree: 2 ** 38,
  files: 2 ** 32,
  filesFree: 2 ** 32,
  nameLength: 255,
};
