/**
 * The parts that the operations of the file system share: the nodes, the known facts about them, and the platform behind
 * them.
 *
 * The reading side (directories, listings, attributes) keeps the known facts true to the platform. The changing side
 * (`open/`, `change/`) makes a change on the platform first and tells the tree its result after (`placed`, `moved`,
 * `detach`). No operation touches a `ChildCache` in another way.
 */
import type { Api } from '../../api/api.ts';
import type { Priority } from '../../api/call-options.ts';
import type { EntryRecord, FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { ContentReader, ContentWriter, ObjectState } from '../../content/ports.ts';
import type { OwedEdits } from '../../edits/owed-edits.ts';
import type { Jobs } from '../../jobs/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../observe/logger.ts';
import type { ErrorRegistry } from '../errors/error-registry.ts';
import type { FailedOperation } from '../errors/failure-of.ts';
import type { AttributesReply, Awaitable, Entry, KernelCaches } from '../file-system.ts';
import type { Deletions } from './deletions.ts';
import type { FolderState } from './folder-state.ts';
import type {
  AliasNode,
  DirectoryNode,
  FolderNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
  VirtualDirectoryNode,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from './node.ts';
import type { NodeTable } from './node-table.ts';
import type { UnkeptCounts } from './unkept-counts.ts';

export interface TreeOptions {
  /** How long what the platform told counts for reading. Default 60 s. */
  readonly metadataTtlMs: number;
  /** Refuse every change with EROFS. */
  readonly readOnly: boolean;
  /** Owner of everything that has no other: the user who mounted, unless `--uid` and `--gid` say who. */
  readonly uid: number;
  readonly gid: number;
  /** The user who mounted, whatever `uid` and `gid` say: `.svcfs/` belongs to that user. */
  readonly mounter: { readonly uid: number; readonly gid: number };
  /** Whether the owner of a file is stored and shown, or everything belongs to `uid` and `gid`. Default `mounter`. */
  readonly owner: 'mounter' | 'kept';
  /**
   * The treatment of attributes that the platform has no place for. Default `ignore`: they are accepted and counted.
   */
  readonly unkept: 'ignore' | 'refuse';
  /** The answer to an open of an alias for writing. Default `refuse`. */
  readonly aliasWrite: 'refuse' | 'copy';
  /** Whether what is on the platform may be removed, and its content replaced. Default true. */
  readonly deletes: boolean;
  readonly overwrites: boolean;
  /** How many entries a program removes in a minute without a person's confirmation. Default: any number. */
  readonly confirmDelete?: number | undefined;
  /** What is removed or replaced waits in the trash of its project for so many days. Default: it is gone. */
  readonly trashDays?: number | undefined;
  /** Other users get to the mount. Default false. */
  readonly allowOther: boolean;
  /** Bits taken from 0666 and 0777. Default 022. */
  readonly umask: number;
  /** How long a rename waits for its job before EINTR; undefined: as long as it takes. */
  readonly renameWaitMs: number | undefined;
  /** Whether a file that was moved to a volume stays as an alias, as the platform has it. Default `keep`. */
  readonly afterExport: 'keep' | 'remove';
  /** The end of a file whose writer is killed: published as it is, or kept aside here. Default `publish`. */
  readonly onKilled: 'publish' | 'recover';
  /** A file that was replaced elsewhere while it was written here: the last one wins, or is kept aside. Default `last`. */
  readonly conflict: 'last' | 'fail';
  /** `close` returns when the file is durable here, and the upload follows. Default false. */
  readonly writeBack: boolean;
  /** Files that are marked as symbolic links are shown as such. Default true. */
  readonly symlinks: boolean;
  /** `writeBack`: how long nobody has closed what is written to a volume before it is exported. Default 0. */
  readonly exportDelayMs: number;
  /** `writeBack`: how long nobody has done anything to a closed file of a project before it is uploaded. Default 0. */
  readonly foldMs: number;
  /** The top of the mount lists `.svcfs/`. Default false: it is found by its name. */
  readonly showsControl: boolean;
  /** Patterns: a new file of such a name stays on this machine, in a volume, until it is renamed. Default: none. */
  readonly temporaryNames: readonly string[];
  /** The same in a project, for a while (`ClosedFiles`). Default: none. */
  readonly temporaryInProjects: readonly string[];
}

/** The objects that the tree stands on. */
export interface TreeParts {
  readonly api: Api;
  readonly reader: ContentReader;
  readonly writer: ContentWriter;
  readonly jobs: Jobs;
  /** Changes of metadata that follow their calls. Undefined: none does. */
  readonly edits?: OwedEdits | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: TreeOptions;
  /** Mode, time and owner of folders, which the platform does not keep. */
  readonly folderState: FolderState;
  /** Attributes that programs set and nothing keeps. */
  readonly unkept: UnkeptCounts;
}

/** Asks for what the first read of a file waits for; returns what the service tells of the file in the same answer. */
export type Prepare = () => Promise<FileRecord> | undefined;

export interface Revalidating {
  /** Called when the platform is asked, and first: what it is told of the file need not be asked. */
  readonly prepare?: Prepare | undefined;
  /** Default `interactive`. */
  readonly priority?: Priority;
  /** A program reads it, and takes what is known while the rate limit is spent. Default false. */
  readonly onlyLooks?: boolean;
  /** The opened file is about to be copied by the platform: facts of the last five seconds do. Default false. */
  readonly toCopy?: boolean;
}

export interface Tree extends TreeParts {
  readonly deletions: Deletions;
  readonly nodes: NodeTable;
  readonly root: VirtualDirectoryNode;
  /** Where the mount begins: the root, or a directory below it. */
  readonly top: DirectoryNode;
  /** Does nothing before a driver is attached. */
  readonly kernel: KernelCaches;
  /** The last failure of each path. Failures that a caller is told are recorded without anyone's doing. */
  readonly errors: ErrorRegistry;

  attributesOf(node: Node): AttributesReply;
  /** For a reply about `node`; the caller that answers the kernel counts the lookup. */
  entryOf(node: Node): Entry;

  /** The node of `name` in a directory, by known facts or by asking: undefined when there is none. */
  childOf(directory: DirectoryNode, name: string, signal: AbortSignal): Awaitable<Node | undefined>;
  /** As `childOf`, and an absence is one of the last second. */
  freshChildOf(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Node | undefined>;
  /** All there is in a directory, known or asked for now. */
  childrenOf(directory: DirectoryNode, signal: AbortSignal, priority?: Priority): Awaitable<readonly Node[]>;
  /** Asks for everything in the directory anew at the next use. */
  expire(directory: DirectoryNode): void;
  /**
   * Close-to-open: the node is as the platform has it now, by facts at most a second old. Throws ESTALE when its
   * content is another or gone; the node is then out of the tree and the kernel looks the name up again.
   */
  revalidate(node: Node, signal: AbortSignal, how?: Revalidating): Awaitable<void>;

  /**
   * Learns the object that the store of an alias has now. Throws ESTALE when that is another content than the node's, or
   * of another size than was shown; another node has the name then.
   */
  learnObject(node: AliasNode, object: ObjectState): void;

  /** Its bytes tell that the node is not what the platform has now: asked for anew at the next use. */
  doubt(node: Node): void;

  /** A node for a file that exists only here so far; `placed` puts it into the tree. */
  newFile(parent: ProjectFolderNode, name: string): ProjectFileNode;
  newObject(parent: VolumeDirectoryNode, name: string): VolumeObjectNode;
  /** A named pipe or a socket of this mount alone. */
  newSpecialFile(
    parent: FolderNode,
    name: string,
    made: Pick<SpecialFileNode, 'type' | 'mode'>,
  ): SpecialFileNode;
  /** A folder that exists only here (`local`) until its first object. */
  newVolumeDirectory(parent: VolumeDirectoryNode, name: string): VolumeDirectoryNode;

  /** We put `node` under its name in its parent; what was there before is out of the tree. */
  placed(node: Node): void;
  /** A file got another node by a move: that one shows the facts that this mount alone has of `node`. */
  passOn(node: ProjectFileNode): void;
  /** By our doing the platform has `record` in `parent`: its node, placed. A folder just made is known to be empty. */
  placedRecord(parent: ProjectFolderNode, record: EntryRecord, options?: { readonly empty?: boolean }): Node;
  /** By our doing `node` has this content or these fields now: same node, whatever the id. */
  published(node: ProjectFileNode, record: FileRecord): void;
  published(node: VolumeObjectNode, record: VolumeObjectRecord): void;
  /** We moved or renamed `node`; what was at the target is out of the tree. */
  moved(node: Node, to: { readonly parent: DirectoryNode; readonly name: string }): void;
  /** We took `node` away: it has no place any more and serves the handles still open on it. */
  detach(node: Node): void;
  /** We took away what had this name, and the kernel, which did not ask for that, is told. */
  gone(directory: DirectoryNode, name: string): void;
  /** Something else than we thought is at this name, or below it: ask again, and so must the kernel. */
  invalidate(directory: DirectoryNode, name: string): void;
  /**
   * Renews a folder after a job of ours worked on it in its place. To the kernel the folder is moved or removed, so that
   * it and all entries below are other nodes from here on. The entries are asked for anew; an entry that exists only here
   * keeps its place.
   */
  renew(folder: FolderNode): void;

  /** A failure nobody is told of (RELEASE, background work). */
  recordError(failure: FailedOperation, error: unknown): void;
}
