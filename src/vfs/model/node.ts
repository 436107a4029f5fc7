/**
 * Inodes. A node is what the kernel holds a number for; where it hangs in the tree (`parent`, `name`) may change,
 * its number and `ino` do not. Nodes are data: what can be done with each kind stands in the folder of that kind.
 *
 * Identity: our own overwrite or rename keeps the node; another content that someone else put
 * under the name is another node, so that the kernel never mixes pages of two versions. A node taken out of the
 * tree has no parent and serves the handles that are still open on it.
 */
import type {
  FileRecord,
  FolderRecord,
  ProjectRecord,
  VolumeObjectRecord,
  VolumeRecord,
} from '../../api/model.ts';
import type { Annotations, Draft, ObjectState } from '../../content/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Awaitable, NodeId } from '../file-system.ts';
import type { ChildCache } from './child-cache.ts';
import type { Pin } from './pin.ts';
import type { SyntheticDirectory, SyntheticFile } from './synthetic.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface NodeBase {
  readonly id: NodeId;
  readonly ino: bigint;
  parent: DirectoryNode | undefined;
  name: string;
  /** References the kernel holds; the table drops a node at zero when nothing else keeps it. */
  lookups: number;
  /** When its place in the tree and its record were last known to be the platform's state. */
  checkedMs: number;
  /** Set here and not in the record yet, or the platform has no place for it; undefined: as the record tells. */
  mtimeNs: bigint | undefined;
  /** As `mtimeNs`; shown with `--owner kept` only. */
  owner: Owner | undefined;
  /** Set by a program: this mount's own, as long as it lives. */
  atimeNs: bigint | undefined;
  /** When this mount last changed its mode, its times or its name; of a directory, what is in it as well. */
  changedMs: number | undefined;
}

/**
 * The facts that all nodes of one project (or volume) share. A listing of projects lacks the details: they are asked
 * for when something inside is, so below the top directory they are always there (`projectOf`, `volumeOf`).
 */
export interface Project {
  /** `owner/short-name` */
  readonly id: string;
  record: ProjectRecord | undefined;
}

export interface Volume {
  /** `owner/name` */
  readonly id: string;
  record: VolumeRecord | undefined;
}

/** A folder of a project; the project's own directory is its root folder. */
export interface ProjectFolderNode extends NodeBase {
  readonly kind: 'project-folder';
  readonly project: Project;
  /** Its id changes when the platform moves a folder. Undefined for a project's own directory. */
  record: FolderRecord | undefined;
  readonly children: ChildCache<Node>;
  /** The platform is asked to move it, and has not answered that it did. A publication inside it waits for this first. */
  moving: Promise<void> | undefined;
  /** The platform keeps no mode and no settable time for folders: these live here and in local state. */
  mode: number | undefined;
}

export interface ProjectFileNode extends NodeBase {
  readonly kind: 'project-file';
  /** Another when its folder is taken to one while it is written. */
  project: Project;
  /** The published file; undefined while it is only a draft. */
  record: FileRecord | undefined;
  /** Of a symbolic link: the pair that marks it (`jobs/symbolic-link.ts`). A file that becomes one is another node then. */
  readonly link: string | undefined;
  /** Of a file of a manifest. Its directory is a virtual one. */
  readonly pin: Pin | undefined;
  /** The object behind an alias, as its store told when it was opened: the record has neither the ETag nor a new size. */
  object: ObjectState | undefined;
  /** Local content while the file is open for writing or not yet published. */
  draft: Draft | undefined;
  /** Set on an unpublished file; become one PATCH with its publication. */
  pending: Annotations | undefined;
  /** Set here and not yet in the record (`attributes/reserved-pairs.ts`). */
  mode: number | undefined;
  /** Permission bits it was made with, where no pair keeps them: this mount's own, until others are set. */
  madeMode: number | undefined;
  /** When the draft was last written to; undefined without a draft. */
  writtenMs: number | undefined;
}

/** A level of a volume: the volume itself (prefix `''`) or a prefix ending in `/`. */
export interface VolumeDirectoryNode extends NodeBase {
  readonly kind: 'volume-directory';
  readonly volume: Volume;
  readonly prefix: string;
  /** Made by mkdir and without an object yet: exists in this mount only. */
  local: boolean;
  readonly children: ChildCache<Node>;
}

export interface VolumeObjectNode extends NodeBase {
  readonly kind: 'volume-object';
  readonly volume: Volume;
  /** As of a file. */
  readonly pin: Pin | undefined;
  /** Changes by a rename before there is an object. */
  location: string;
  record: VolumeObjectRecord | undefined;
  /** The record's size was told before the last listing, which told neither it nor that the bytes are the same. */
  sizeIsOld: boolean;
  /** Being written: becomes an export when it is published. */
  draft: Draft | undefined;
  /** Of a file that stays here for its name; an object has none. */
  mode: number | undefined;
  writtenMs: number | undefined;
}

/** A directory of our own making: the root, `projects/`, an owner, and the top of a synthetic tree. */
export interface VirtualDirectoryNode extends NodeBase {
  readonly kind: 'virtual-directory';
  readonly children: ChildCache<Node>;
  readonly source: VirtualSource;
}

/**
 * A named pipe or a socket. It means something on one machine only: this mount alone has it, until it is removed or the
 * mount ends. The kernel passes its bytes, and opens it without asking.
 */
export interface SpecialFileNode extends NodeBase {
  readonly kind: 'special-file';
  readonly type: 'pipe' | 'socket';
  /** Permission bits. */
  mode: number;
  readonly madeMs: number;
}

/** Directories that the platform has, or is to have. */
export type FolderNode = ProjectFolderNode | VolumeDirectoryNode;
export type DirectoryNode = FolderNode | VirtualDirectoryNode;
export type Node = DirectoryNode | ProjectFileNode | VolumeObjectNode | SpecialFileNode;

/** The entries of a virtual directory now. */
export interface VirtualSource {
  /** It belongs to the user who mounted, and nobody else but root may look into it. */
  readonly isPrivate?: boolean | undefined;
  /** Its directory does not list it. */
  readonly isHidden?: boolean;
  /** What is in it, in place of entries of the tree. */
  readonly synthetic?: SyntheticDirectory;
  /** Shown while there are no entries. */
  readonly whenEmpty?: Notice | undefined;
  /** How long an answer of `entries` counts. */
  readonly ttlMs: number;
  entries(signal: AbortSignal): Awaitable<KnownEntries>;
  /** Some of the entries, where they were asked for ahead of need. */
  expected?(signal: AbortSignal): Promise<KnownEntries | undefined>;
  /** How long the absence of a name counts; undefined: as long as an answer. */
  readonly absenceTtlMs?: number;
  /** Asks for one name that `entries` lacks: it may have come into being since. */
  find?(name: string, signal: AbortSignal): Promise<VirtualEntry | undefined>;
  /** An entry turned out not to be there: the next answer is asked for anew. */
  expire?(): void;
}

/** A file that tells the user what to do. */
export interface Notice {
  readonly name: string;
  readonly file: SyntheticFile;
}

export interface KnownEntries {
  readonly entries: readonly VirtualEntry[];
  /** Undefined: now. */
  readonly learntMs?: number;
}

export interface VirtualEntry {
  readonly name: string;
  /** Called when the name has no node yet. */
  readonly make: (place: { readonly parent: VirtualDirectoryNode; readonly name: string }) => Node;
}

export function isFolder(node: Node): node is FolderNode {
  return node.kind === 'project-folder' || node.kind === 'volume-directory';
}

export function isDirectory(node: Node): node is DirectoryNode {
  return isFolder(node) || node.kind === 'virtual-directory';
}

/** Details of the project a node belongs to. */
export function projectOf(node: ProjectFolderNode | ProjectFileNode): ProjectRecord {
  if (!node.project.record)
    throw new FsError('EIO', `project ${node.project.id} has not been looked into yet`);
  return node.project.record;
}

/** Details of the volume a node belongs to. */
export function volumeOf(node: VolumeDirectoryNode | VolumeObjectNode): VolumeRecord {
  if (!node.volume.record) throw new FsError('EIO', `volume ${node.volume.id} has not been looked into yet`);
  return node.volume.record;
}

export function folderIdOf(node: ProjectFolderNode): string {
  return node.record?.id ?? projectOf(node).rootFolder;
}

export type AliasNode = ProjectFileNode & { readonly record: FileRecord };

/** A published file whose bytes are an object of a volume. */
export function isAlias(node: Node): node is AliasNode {
  return node.kind === 'project-file' && node.record?.storage.kind === 'volume';
}

/** A file of a manifest. */
export function isPinned<N extends ProjectFileNode | VolumeObjectNode>(
  node: N,
): node is N & { readonly pin: Pin } {
  return node.pin !== undefined;
}

export type LinkNode = ProjectFileNode & { readonly link: string; readonly record: FileRecord };

/** A symbolic link: a published file that is shown as one. */
export function isLink(node: Node): node is LinkNode {
  return node.kind === 'project-file' && node.link !== undefined && node.record !== undefined;
}

/** Of a file's content as this mount shows it. */
export function sizeOf(node: ProjectFileNode | VolumeObjectNode): number | undefined {
  const published = isAlias(node) ? (node.object ?? node.record) : node.record;
  return (node.draft ?? published)?.sizeBytes;
}

/** Path below the mount point, for people; a node out of the tree is shown by its last name, or as `keepPathsOfDrafts` has it. */
export function pathOf(node: Node): string {
  const names: string[] = [];
  for (let at: Node | undefined = node; at; at = at.parent)
    names.unshift((at.parent ? undefined : formerPaths.get(at)) ?? at.name);
  return names.join('/') || '/';
}

/** Of files that went out of the tree with content that is not published. */
const formerPaths = new WeakMap<Node, string>();

/**
 * Files with a draft, of which `node` is one or which are below it, keep their paths when it goes out of the tree: people know
 * what is not published by no other name.
 */
export function keepPathsOfDrafts(node: Node, path = pathOf(node)): void {
  if (isDirectory(node))
    for (const child of node.children.nodes()) keepPathsOfDrafts(child, `${path}/${child.name}`);
  else if ('draft' in node && node.draft !== undefined) formerPaths.set(node, path);
}

/** Directories that mkdir(2) made here are on the volume with their first object. */
export function existsNow(directory: DirectoryNode | undefined): void {
  for (let at = directory; at?.kind === 'volume-directory'; at = at.parent) at.local = false;
}
