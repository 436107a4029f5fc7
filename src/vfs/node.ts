/**
 * Inodes. A node is what the kernel holds a number for; where it hangs in the tree (`parent`, `name`) may change,
 * its number and `ino` do not. Nodes are data: what can be done with each kind stands in the folder of that kind.
 *
 * Identity (design, section 10): our own overwrite or rename keeps the node; another content that someone else put
 * under the name is another node, so that the kernel never mixes pages of two versions. A node taken out of the
 * tree has no parent and serves the handles that are still open on it.
 */
import type {
  FileRecord,
  FolderRecord,
  ProjectRecord,
  VolumeObjectRecord,
  VolumeRecord,
} from '../api/model.ts';
import type { Annotations, ContentVersion, Draft } from '../content/ports.ts';
import type { ChildCache } from './child-cache.ts';
import type { NodeId } from './file-system.ts';

interface NodeBase {
  readonly id: NodeId;
  readonly ino: bigint;
  parent: DirectoryNode | undefined;
  name: string;
  /** References the kernel holds; the table drops a node at zero when nothing else keeps it. */
  lookups: number;
}

/** A folder of a project; the project's own directory is its root folder. */
export interface ProjectFolderNode extends NodeBase {
  readonly kind: 'project-folder';
  /** Changes when the platform moves a folder. */
  folderId: string;
  readonly project: ProjectRecord;
  record: FolderRecord | undefined;
  readonly children: ChildCache;
  /** The platform keeps no mode and no settable time for folders: these live here and in local state. */
  mode: number | undefined;
  mtimeMs: number | undefined;
}

export interface ProjectFileNode extends NodeBase {
  readonly kind: 'project-file';
  readonly project: ProjectRecord;
  /** The published file; undefined while it is only a draft. */
  record: FileRecord | undefined;
  /** When `record` was last known to be the platform's state. */
  checkedMs: number;
  /** Local content while the file is open for writing or not yet published. */
  draft: Draft | undefined;
  /** Set on an unpublished file; become one PATCH with its publication. */
  pending: Annotations | undefined;
  mode: number | undefined;
  mtimeMs: number | undefined;
}

/** A level of a volume: the volume itself (prefix `''`) or a prefix ending in `/`. */
export interface VolumeDirectoryNode extends NodeBase {
  readonly kind: 'volume-directory';
  readonly volume: VolumeRecord;
  readonly prefix: string;
  /** Made by mkdir and without an object yet: exists in this mount only. */
  local: boolean;
  readonly children: ChildCache;
}

export interface VolumeObjectNode extends NodeBase {
  readonly kind: 'volume-object';
  readonly volume: VolumeRecord;
  readonly location: string;
  record: VolumeObjectRecord | undefined;
  checkedMs: number;
  /** Being written: becomes an export when it is published. */
  draft: Draft | undefined;
}

/** A directory of our own making: the root, `projects/`, an owner, `.svcfs/`. */
export interface VirtualDirectoryNode extends NodeBase {
  readonly kind: 'virtual-directory';
  readonly children: ChildCache;
  /** Names and kinds of what is in it now. */
  readonly source: VirtualSource;
}

export interface VirtualFileNode extends NodeBase {
  readonly kind: 'virtual-file';
  readonly content: () => string | Promise<string>;
}

export type DirectoryNode = ProjectFolderNode | VolumeDirectoryNode | VirtualDirectoryNode;
export type Node = DirectoryNode | ProjectFileNode | VolumeObjectNode | VirtualFileNode;

/** What a virtual directory holds. A child is made once and then kept by the directory's cache. */
export interface VirtualSource {
  names(signal: AbortSignal): Promise<readonly string[]>;
  make(name: string, parent: VirtualDirectoryNode, signal: AbortSignal): Promise<Node | undefined>;
}

export function isDirectory(node: Node): node is DirectoryNode {
  return (
    node.kind === 'project-folder' || node.kind === 'volume-directory' || node.kind === 'virtual-directory'
  );
}

/** The version of a published file's bytes. */
export function versionOfFile(record: FileRecord): ContentVersion {
  const { id: fileId, sizeBytes, storage } = record;
  return storage.kind === 'platform'
    ? { kind: 'file', fileId, sizeBytes }
    : { kind: 'alias', fileId, sizeBytes, volume: storage.volume, location: storage.location };
}

/** Path below the mount point, for people; a node out of the tree is shown by its last name. */
export function pathOf(node: Node): string {
  const names: string[] = [];
  for (let at: Node | undefined = node; at; at = at.parent) names.unshift(at.name);
  return names.join('/') || '/';
}
