/** The operations of the kernel on synthetic entries. `attachSynthetic` says which are about one. */
import type { Clock } from '../../lib/clock.ts';
import type { ErrorRegistry } from '../errors/error-registry.ts';
import { FsError } from '../errors/fs-error.ts';
import type {
  AbsentEntry,
  AttributeChanges,
  AttributesReply,
  DirSink,
  Entry,
  FileHandle,
  FileSystem,
  KernelCaches,
  NodeId,
  OpenDirectoryReply,
  OpenReply,
  ReadReply,
  RequestContext,
} from '../file-system.ts';
import { requireNameLength } from '../model/names.ts';
import type { SyntheticDirectory } from '../model/synthetic.ts';
import type { TreeOptions } from '../model/tree.ts';
import { attributesOfSynthetic, sizeOf } from './attributes.ts';
import { expireAt } from './expire.ts';
import { SyntheticLookups } from './lookups.ts';
import { LONGEST_MS, pathOf, type SyntheticNode, ttlLeft } from './node.ts';
import { SyntheticNodes } from './nodes.ts';
import { OpenSynthetic } from './open.ts';
import { readNames } from './read-names.ts';
import { RefusedChanges } from './refused-changes.ts';

export interface SyntheticParts {
  readonly clock: Clock;
  readonly kernel: KernelCaches;
  readonly errors: Pick<ErrorRegistry, 'lastAt'>;
  readonly options: Pick<TreeOptions, 'uid' | 'gid' | 'umask' | 'mounter'>;
}

type OfOthers = 'attach' | 'detach' | 'statfs' | 'knownDirectory';
export type SyntheticOperations = Omit<FileSystem, OfOthers>;

export class SyntheticTrees extends RefusedChanges implements SyntheticOperations {
  readonly #parts: SyntheticParts;
  readonly #nodes: SyntheticNodes;
  readonly #lookups: SyntheticLookups;
  readonly #open: OpenSynthetic;

  constructor(parts: SyntheticParts) {
    super();
    this.#parts = parts;
    this.#nodes = new SyntheticNodes(parts.kernel);
    this.#lookups = new SyntheticLookups(this.#nodes, parts.clock);
    this.#open = new OpenSynthetic();
  }

  /** Has a directory, for which the kernel has a number of another range, hold these entries. */
  graft(id: NodeId, entry: SyntheticDirectory, at: { readonly ino: bigint; readonly path: string }): void {
    if (this.#nodes.find(id) !== undefined) return;
    this.#nodes.addTop({
      id,
      kind: 'directory',
      ...at,
      parent: undefined,
      name: '',
      isPrivate: entry.isPrivate === true,
      lookups: 0,
      madeMs: this.#parts.clock.now(),
      learntMs: Number.POSITIVE_INFINITY,
      isGone: false,
      entry,
      children: new Map(),
      names: undefined,
    });
  }

  /** The kernel gave up the number that entries were grafted on. */
  ungraft(id: NodeId): void {
    this.#nodes.dropTop(id);
  }

  /**
   * The entries at these paths of the tree (`/tasks/lab/rna`) have changed: they are asked for anew, and the kernel forgets
   * what it keeps of them. Of a directory, its times, its names and the files in it; no directory below it.
   */
  changed(paths: Iterable<string>): void {
    for (const path of paths) expireAt(path, this.#nodes.tops(), this.#parts.kernel);
  }

  pathOf(id: NodeId): string {
    return pathOf(this.#nodes.get(id));
  }

  pathOfHandle(handle: FileHandle): string {
    return pathOf(this.#open.file(handle).node);
  }

  pathOfDirectoryHandle(handle: FileHandle): string {
    return pathOf(this.#open.directory(handle).node);
  }

  async lookup(parent: NodeId, name: string, { signal }: RequestContext): Promise<Entry | AbsentEntry> {
    requireNameLength(name);
    const node = await this.#lookups.child(this.#nodes.directory(parent), name, signal);
    if (node === undefined) return { node: undefined, entryTtlMs: 0 };
    node.lookups += 1;
    node.entry.looked?.();
    const { attributes, ttlMs } = this.#attributesOf(node);
    const entryTtlMs = ttlLeft(node, this.#parts.clock.elapsed());
    return { node: node.id, attributes, entryTtlMs, attributesTtlMs: ttlMs };
  }

  forget(id: NodeId, count: number): void {
    this.#nodes.forget(id, count);
  }

  getattr(id: NodeId): AttributesReply {
    const node = this.#nodes.get(id);
    node.entry.looked?.();
    return this.#attributesOf(node);
  }

  /** A program that writes to a control file truncates it, and sets its times, first. */
  setattr(id: NodeId, changes: AttributeChanges): AttributesReply {
    const node = this.#nodes.get(id);
    const isOfWriting = changes.mode === undefined && changes.uid === undefined && changes.gid === undefined;
    if (node.kind !== 'control' || !isOfWriting) this.refuse(node.name);
    return this.#attributesOf(node);
  }

  access(id: NodeId): void {
    this.#nodes.get(id);
  }

  readlink(id: NodeId): string {
    const node = this.#nodes.get(id);
    if (node.kind !== 'link') throw new FsError('EINVAL', `${node.name} is no symbolic link`);
    return node.entry.target;
  }

  open(id: NodeId, flags: number): OpenReply {
    const node = this.#nodes.get(id);
    node.entry.looked?.();
    return this.#open.open(node, flags);
  }

  read(handle: FileHandle, offset: number, sizeBytes: number): ReadReply {
    return this.#open.read(handle, offset, sizeBytes);
  }

  write(handle: FileHandle, _offset: number, data: Uint8Array, { signal }: RequestContext): Promise<number> {
    return this.#open.write(handle, data, signal);
  }

  flush(handle: FileHandle): void {
    this.#open.file(handle);
  }

  fsync(handle: FileHandle): void {
    this.#open.file(handle);
  }

  release(handle: FileHandle): void {
    this.#open.release(handle);
  }

  lseek(handle: FileHandle, offset: number, whence: 'data' | 'hole'): number {
    const sizeBytes = sizeOf(this.#open.file(handle).node);
    if (offset >= sizeBytes) throw new FsError('ENXIO', 'no data at or after this offset');
    return whence === 'data' ? offset : sizeBytes;
  }

  opendir(id: NodeId): OpenDirectoryReply {
    const node = this.#nodes.directory(id);
    node.entry.looked?.();
    return { handle: this.#open.openDirectory(node), keepNames: false };
  }

  readdir(handle: FileHandle, offset: number, sink: DirSink, { signal }: RequestContext): Promise<void> {
    const open = this.#open.directory(handle);
    if (offset === 0) open.names = this.#lookups.names(open.node);
    return readNames(open, offset, { sink, signal });
  }

  releasedir(handle: FileHandle): void {
    this.#open.releaseDirectory(handle);
  }

  fsyncdir(handle: FileHandle): void {
    this.#open.directory(handle);
  }

  getxattr(id: NodeId, name: string): Uint8Array {
    const node = this.#nodes.get(id);
    const field = /^user\.svc\.(.+)$/.exec(name)?.[1];
    const text =
      field === 'error' ? this.#parts.errors.lastAt(pathOf(node))?.text : node.entry.fields?.[field ?? ''];
    if (text !== undefined) return Buffer.from(text);
    throw new FsError(name.startsWith('user.') ? 'ENODATA' : 'EOPNOTSUPP', `there is no attribute ${name}`);
  }

  /** The bytes of a file never change; the times of a directory do. */
  #attributesOf(node: SyntheticNode): AttributesReply {
    const { clock, options } = this.#parts;
    const ttlMs = node.kind === 'file' ? LONGEST_MS : ttlLeft(node, clock.elapsed());
    return { attributes: attributesOfSynthetic(node, options), ttlMs };
  }
}
