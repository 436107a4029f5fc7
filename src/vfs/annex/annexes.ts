/** The operations of the kernel on annexes. `attachAnnexes` says which are of one. */
import { constants } from 'node:fs';
import { join } from 'node:path';
import type { ProcessTable } from '../../lib/process-table.ts';
import type { Details } from '../directories/details.ts';
import { FsError } from '../errors/fs-error.ts';
import type {
  AbsentEntry,
  AttributeChanges,
  AttributesReply,
  DirSink,
  Entry,
  FileHandle,
  FileSystem,
  NodeId,
  OpenDirectoryReply,
  OpenReply,
  RenameFlags,
  RequestContext,
} from '../file-system.ts';
import type { PlatformTree } from '../listing/platform-tree.ts';
import { ANNEX } from '../model/escape.ts';
import { inodeNumber } from '../model/inode-number.ts';
import { requireNameLength } from '../model/names.ts';
import { folderIdOf, type ProjectFolderNode, pathOf } from '../model/node.ts';
import { isAnnexNumber } from '../model/number-ranges.ts';
import type { Tree } from '../model/tree.ts';
import { requireWritable } from '../model/write-access.ts';
import { openModeOf } from '../open-flags.ts';
import { CONTROL_DIRECTORIES, CONTROL_FILES } from '../trees/control/control.ts';
import { attributesOfAnnex } from './attributes.ts';
import { localNode, recordNames, tablesSource, withControl, withRecords } from './folder-annex.ts';
import { Importing } from './importing.ts';
import { LocalRoom, removeOldRooms } from './local-room.ts';
import {
  type AnnexDirectory,
  type AnnexFileNode,
  type AnnexNode,
  annexPath,
  type TableNode,
} from './node.ts';
import { AnnexNodes } from './nodes.ts';
import { AnnexDirectories } from './open-directories.ts';
import { AnnexFiles, localFlags } from './open-files.ts';
import { Queries } from './queries.ts';
import { withQueries } from './query-directories.ts';
import { MADE_HERE, NO_OTHER_KIND, RefusedOperations } from './refused-operations.ts';
import { folderScope } from './table-scope.ts';
import { isTableName, tableNode } from './tables.ts';

export interface AnnexesParts {
  readonly tree: Tree & Pick<PlatformTree, 'top'>;
  readonly details: Details;
  readonly processes: ProcessTable;
  /** For the files of annexes on this machine; on no mount of ours. */
  readonly directory: string;
}

type PlaceById = { readonly parent: NodeId; readonly name: string };

export type AnnexOperations = Omit<FileSystem, 'attach' | 'detach' | 'statfs' | 'knownDirectory'>;

export class Annexes extends RefusedOperations implements AnnexOperations {
  readonly #parts: AnnexesParts;
  readonly #nodes = new AnnexNodes();
  readonly #tops = new Map<ProjectFolderNode, AnnexDirectory>();
  readonly #folders = new Map<AnnexDirectory, ProjectFolderNode>();
  readonly #queries: Queries;
  readonly #importing: Importing;
  readonly #files: AnnexFiles;
  readonly #directories = new AnnexDirectories();

  constructor(parts: AnnexesParts) {
    super();
    this.#parts = parts;
    const { tree, processes, directory } = parts;
    this.#queries = new Queries(tree);
    this.#importing = new Importing(tree, (node) => this.#path(node));
    this.#files = new AnnexFiles({
      drafts: new LocalRoom(join(directory, 'drafts')),
      processes,
      importWritten: (node, bytes, signal) => this.#import(node, bytes, signal),
      keepHalf: (node, bytes) => this.#importing.keepHalf(node, bytes),
      sleep: (ms) => tree.clock.sleep(ms),
    });
  }

  /** Ends with what an earlier mount left here and nobody looked at for a month. */
  tidy(): Promise<void> {
    return removeOldRooms(this.#parts.directory, this.#parts.tree.clock.now());
  }

  /** Something that queries may be about was changed by this mount. */
  changed(): void {
    this.#queries.changed();
  }

  /** `.svcfs` of a folder. */
  async enter(folder: ProjectFolderNode, signal: AbortSignal): Promise<Entry> {
    await this.#parts.details.project(folder.project, signal);
    return this.#entry(this.#tops.get(folder) ?? this.#makeTop(folder));
  }

  /** Whether a name is of the mount's own `.svcfs`, which the annex of the folder at the top of the mount holds as well. */
  isOfControl(parent: NodeId, name: string): boolean {
    if (!isAnnexNumber(parent) || ![...CONTROL_FILES, ...CONTROL_DIRECTORIES].includes(name)) return false;
    const directory = this.#nodes.directory(parent);
    return this.#folders.get(directory) === this.#parts.tree.top;
  }

  /** The folder whose record has a name in its annex; undefined: the name is the annex's own. */
  recordedAt(parent: NodeId, name: string): ProjectFolderNode | undefined {
    if (!isAnnexNumber(parent)) return undefined;
    const folder = this.#folders.get(this.#nodes.directory(parent));
    return folder && recordNames(folder).includes(name) ? folder : undefined;
  }

  knows(id: NodeId): boolean {
    return this.#nodes.has(id);
  }

  inodeOf(id: NodeId): bigint {
    return this.#nodes.get(id).ino;
  }

  pathOf(id: NodeId): string {
    return this.#path(this.#nodes.get(id));
  }

  pathOfHandle(handle: FileHandle): string {
    return this.#path(this.#files.get(handle).node);
  }

  pathOfDirectoryHandle(handle: FileHandle): string {
    return this.#path(this.#directories.get(handle));
  }

  async lookup(parent: NodeId, name: string, { signal }: RequestContext): Promise<Entry | AbsentEntry> {
    requireNameLength(name);
    const node = await this.#childOf({ parent, name }, signal);
    return node ? this.#entry(node) : { node: undefined, entryTtlMs: 0 };
  }

  forget(id: NodeId, count: number): void {
    const gone = this.#nodes.forget(id, count);
    if (gone?.kind !== 'directory' || gone.parent !== undefined) return;
    const folder = this.#folders.get(gone);
    this.#folders.delete(gone);
    if (folder) this.#tops.delete(folder);
  }

  getattr(id: NodeId): Promise<AttributesReply> {
    return this.#attributesOf(this.#nodes.get(id));
  }

  /** Of files on this machine, the size; nothing else is kept. */
  async setattr(
    id: NodeId,
    changes: AttributeChanges,
    handle: FileHandle | undefined,
    context: RequestContext,
  ): Promise<AttributesReply> {
    const node = this.#nodes.get(id);
    if (changes.sizeBytes !== undefined) {
      if (node.kind === 'directory' || node.kind === 'link') throw new FsError('EPERM', MADE_HERE);
      this.#requireWritable(node.parent);
      if (handle !== undefined) await this.#files.change(handle, changes);
      else await this.#truncate(node, changes, context);
    }
    return this.#attributesOf(node);
  }

  access(id: NodeId): void {
    this.#nodes.get(id);
  }

  readlink(id: NodeId): string {
    const node = this.#nodes.get(id);
    if (node.kind !== 'link') throw new FsError('EINVAL', `${node.name} is no symbolic link`);
    return node.target;
  }

  async mknod(parent: NodeId, name: string, mode: number, context: RequestContext): Promise<Entry> {
    const isRegular = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isRegular) throw new FsError('EPERM', NO_OTHER_KIND);
    const flags = constants.O_WRONLY | constants.O_EXCL;
    const { entry, open } = await this.create(parent, name, mode, flags, context);
    await this.#files.release(open.handle);
    return entry;
  }

  async create(
    parent: NodeId,
    name: string,
    mode: number,
    flags: number,
    context: RequestContext,
  ): Promise<{ readonly entry: Entry; readonly open: OpenReply }> {
    requireNameLength(name);
    const directory = this.#nodes.directory(parent);
    const room = this.#roomOf(directory);
    const there = await this.#childOf({ parent, name }, context.signal);
    if (there) {
      if (openModeOf(flags).exclusive) throw new FsError('EEXIST', `${name} exists`);
      return { open: await this.open(there.id, flags, context), entry: await this.#entry(there) };
    }
    if (isTableName(name)) {
      const table = await this.#tableAgain(directory, name, context.signal);
      const open = await this.open(table.id, flags | constants.O_TRUNC, context);
      return { open, entry: await this.#entry(table) };
    }
    const how = localFlags(openModeOf(flags)) | constants.O_CREAT;
    const file = await room.open(name, how, mode & 0o777);
    const node = localNode(directory, name, { room, nodes: this.#nodes });
    return { open: this.#files.opened(node, file), entry: await this.#entry(node) };
  }

  async unlink(parent: NodeId, name: string, { signal }: RequestContext): Promise<void> {
    const directory = this.#nodes.directory(parent);
    const node = await this.#childOf({ parent, name }, signal);
    if (node === undefined) throw new FsError('ENOENT', `there is no ${name}`);
    if (node.kind !== 'local') throw new FsError('EPERM', MADE_HERE);
    this.#requireWritable(directory);
    await node.room.remove(name);
    directory.children.delete(name);
  }

  /** Over the name of a table it is an import, which has what was renamed go. A table that is renamed is copied. */
  async rename(
    from: PlaceById,
    to: PlaceById,
    flags: RenameFlags,
    { signal }: RequestContext,
  ): Promise<void> {
    requireNameLength(to.name);
    if (flags.exchange || flags.whiteout) throw new FsError('EINVAL', 'names are not exchanged here');
    const [source, target] = [this.#nodes.directory(from.parent), this.#nodes.directory(to.parent)];
    const room = this.#roomOf(target);
    const node = await this.#childOf(from, signal);
    if (node === undefined) throw new FsError('ENOENT', `there is no ${from.name}`);
    if (node.kind !== 'local' && node.kind !== 'table') throw new FsError('EPERM', MADE_HERE);
    const over = await this.#childOf(to, signal);
    if (over === node) return;
    if (over && flags.noReplace) throw new FsError('EEXIST', `${to.name} exists`);
    if (isTableName(to.name)) {
      const table = await this.#tableAgain(target, to.name, signal);
      const bytes = node.kind === 'table' ? node.bytes : await node.room.read(node.name);
      await this.#import(table, bytes, signal);
      if (node.kind === 'local') await node.room.discard(node.name);
    } else if (over !== undefined && over.kind !== 'local') {
      throw new FsError('EPERM', MADE_HERE);
    } else if (node.kind === 'table') {
      await room.write(to.name, node.bytes);
      source.away.set(from.name, this.#parts.tree.clock.elapsed());
    } else {
      await node.room.rename(from.name, room, to.name);
    }
    source.children.delete(from.name);
    target.children.delete(to.name);
  }

  async open(id: NodeId, flags: number, context: RequestContext): Promise<OpenReply> {
    const node = this.#nodes.get(id);
    if (node.kind === 'directory') throw new FsError('EISDIR', `${node.name} is a directory`);
    if (node.kind === 'link') throw new FsError('EINVAL', `${node.name} is a symbolic link`);
    const { write, truncate } = openModeOf(flags);
    if (write || truncate) this.#requireWritable(node.parent);
    const reply = await this.#files.open(node, flags, context);
    // The next to look the name up finds the table as it is, in another node.
    if (write && node.kind === 'table') node.parent?.children.delete(node.name);
    return reply;
  }

  read(handle: FileHandle, offset: number, sizeBytes: number): ReturnType<AnnexFiles['read']> {
    return this.#files.read(handle, offset, sizeBytes);
  }

  write(handle: FileHandle, offset: number, data: Uint8Array): Promise<number> {
    return this.#files.write(handle, offset, data);
  }

  flush(handle: FileHandle, context: RequestContext): Promise<void> {
    return this.#files.flush(handle, context);
  }

  fsync(handle: FileHandle): Promise<void> {
    return this.#files.fsync(handle);
  }

  release(handle: FileHandle): Promise<void> {
    return this.#files.release(handle);
  }

  async lseek(handle: FileHandle, offset: number, whence: 'data' | 'hole'): Promise<number> {
    const { sizeBytes } = (await this.#attributesOf(this.#files.get(handle).node)).attributes;
    if (offset >= sizeBytes) throw new FsError('ENXIO', 'no data at or after this offset');
    return whence === 'data' ? offset : sizeBytes;
  }

  opendir(id: NodeId): OpenDirectoryReply {
    return { handle: this.#directories.add(this.#nodes.directory(id)), keepNames: false };
  }

  readdir(handle: FileHandle, offset: number, sink: DirSink, { signal }: RequestContext): Promise<void> {
    return this.#directories.read(handle, offset, { sink, signal });
  }

  releasedir(handle: FileHandle): void {
    this.#directories.delete(handle);
  }

  fsyncdir(handle: FileHandle): void {
    this.#directories.get(handle);
  }

  getxattr(id: NodeId, name: string): Uint8Array {
    const failure = this.#parts.tree.errors.lastAt(this.pathOf(id));
    if (name === 'user.svc.error' && failure) return Buffer.from(failure.text);
    throw new FsError(name.startsWith('user.') ? 'ENODATA' : 'EOPNOTSUPP', `there is no attribute ${name}`);
  }

  #makeTop(folder: ProjectFolderNode): AnnexDirectory {
    const { tree, directory } = this.#parts;
    const roomOf = (name: string): LocalRoom =>
      new LocalRoom(join(directory, `${folderIdOf(folder)}${name}`));
    const parts = { nodes: this.#nodes, clock: tree.clock };
    const tables = tablesSource(folderScope(tree, folder), roomOf(''), parts);
    const queries = this.#queries;
    const source = withQueries(withRecords(tables, folder), {
      ...parts,
      queries,
      folder,
      roomOf: (query) => roomOf(`-${query}`),
    });
    const top = this.#nodes.add<AnnexDirectory>((id) => ({
      id,
      ino: inodeNumber(`annex:${folder.ino}`),
      parent: undefined,
      name: ANNEX,
      lookups: 0,
      kind: 'directory',
      source: folder === tree.top ? withControl(source) : source,
      madeMs: tree.clock.now(),
      children: new Map(),
      away: new Map(),
    }));
    this.#tops.set(folder, top);
    this.#folders.set(top, folder);
    return top;
  }

  async #import(table: TableNode, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    try {
      await this.#importing.run(table, bytes, signal);
    } finally {
      this.changed();
    }
  }

  /** The table of a name that is made anew. */
  #tableAgain(directory: AnnexDirectory, name: string, signal: AbortSignal): Promise<TableNode> {
    directory.away.delete(name);
    return tableNode(directory, name, { nodes: this.#nodes, clock: this.#parts.tree.clock, signal });
  }

  async #childOf({ parent, name }: PlaceById, signal: AbortSignal): Promise<AnnexNode | undefined> {
    const directory = this.#nodes.directory(parent);
    return directory.source.child(directory, name, signal);
  }

  /** Where new files of a directory are. */
  #roomOf(directory: AnnexDirectory): LocalRoom {
    this.#requireWritable(directory);
    const { room } = directory.source;
    if (room === undefined) throw new FsError('EPERM', MADE_HERE);
    return room;
  }

  #requireWritable(directory: AnnexDirectory | undefined): void {
    if (directory) requireWritable(this.#parts.tree, directory.source.scope.folder);
  }

  async #truncate(node: AnnexFileNode, changes: AttributeChanges, context: RequestContext): Promise<void> {
    if (node.kind === 'table')
      throw new FsError('EPERM', `${node.name} is written whole: a part of it would be another table`);
    const { handle } = await this.#files.open(node, constants.O_WRONLY, context);
    try {
      await this.#files.change(handle, changes);
    } finally {
      await this.#files.release(handle);
    }
  }

  #path(node: AnnexNode): string {
    return annexPath(node, (top) => {
      const folder = this.#folders.get(top);
      return folder && folder !== this.#parts.tree.top ? join(pathOf(folder), ANNEX) : `/${ANNEX}`;
    });
  }

  async #entry(node: AnnexNode): Promise<Entry> {
    const { attributes, ttlMs } = await this.#attributesOf(node);
    node.lookups += 1;
    const isTop = node.kind === 'directory' && node.parent === undefined;
    const entryTtlMs = isTop ? this.#parts.tree.options.metadataTtlMs : 0;
    return { node: node.id, attributes, entryTtlMs, attributesTtlMs: ttlMs };
  }

  async #attributesOf(node: AnnexNode): Promise<AttributesReply> {
    return { attributes: await attributesOfAnnex(node, this.#parts.tree, this.#files), ttlMs: 0 };
  }
}
