import type { FileRecord, FolderRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { NodeId } from '../file-system.ts';
import { ChildCache } from './child-cache.ts';
import { type FolderState, folderKey } from './folder-state.ts';
import { inodeNumber } from './inode-number.ts';
import type {
  DirectoryNode,
  FolderNode,
  Node,
  Project,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
  VirtualDirectoryNode,
  VirtualSource,
  Volume,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from './node.ts';
import type { NodeTable } from './node-table.ts';
import type { Pin } from './pin.ts';

/** Where a new node will hang. It is not in its parent's cache yet. */
interface Place<P extends DirectoryNode = DirectoryNode> {
  readonly parent: P | undefined;
  readonly name: string;
}

interface MadeFile {
  readonly record: FileRecord | undefined;
  readonly link: string | undefined;
  readonly pin?: Pin | undefined;
}

interface MadeObject {
  readonly location: string;
  readonly record: VolumeObjectRecord | undefined;
  readonly pin?: Pin | undefined;
}

type PassedOn = Pick<ProjectFileNode, 'madeMode' | 'atimeNs'>;

const NEVER_MS = Number.NEGATIVE_INFINITY;

/** Makes nodes of every kind, each with its number and its st_ino. */
export class NodeMaker {
  readonly #nodes: NodeTable;
  readonly #folderState: FolderState;
  /** By the id of a file. */
  readonly #passedOn = new Map<string, PassedOn>();

  constructor(nodes: NodeTable, folderState: FolderState) {
    this.#nodes = nodes;
    this.#folderState = folderState;
  }

  /** The next node of a file shows the mode that it was made with and its time of access, which this mount alone knows. */
  passOn({ record, madeMode, atimeNs }: ProjectFileNode): void {
    if (record && (madeMode !== undefined || atimeNs !== undefined))
      this.#passedOn.set(record.id, { madeMode, atimeNs });
  }

  projectFile(
    place: Place<ProjectFolderNode | VirtualDirectoryNode>,
    project: Project,
    { record, link, pin }: MadeFile,
  ): ProjectFileNode {
    const passedOn = record && this.#passedOn.size > 0 ? this.#take(record.id) : undefined;
    // Written out, where the others spread what all nodes have: thousands are made in one listing.
    return this.#nodes.add((id) => ({
      id,
      ino: inodeNumber(record?.id ?? freshId(id)),
      parent: place.parent,
      name: place.name,
      lookups: 0,
      checkedMs: NEVER_MS,
      mtimeNs: undefined,
      owner: undefined,
      atimeNs: passedOn?.atimeNs,
      changedMs: undefined,
      kind: 'project-file',
      project,
      record,
      link,
      pin,
      object: undefined,
      draft: undefined,
      pending: undefined,
      mode: undefined,
      madeMode: passedOn?.madeMode,
      writtenMs: undefined,
    }));
  }

  #take(fileId: string): PassedOn | undefined {
    const passedOn = this.#passedOn.get(fileId);
    this.#passedOn.delete(fileId);
    return passedOn;
  }

  /** Without a record: the project's own directory. */
  projectFolder(place: Place, project: Project, record: FolderRecord | undefined): ProjectFolderNode {
    const kept = this.#folderState.get(folderKey({ project, record }));
    return this.#nodes.add((id) => ({
      ...base(id, record?.id ?? `project:${project.id}`, place),
      kind: 'project-folder',
      project,
      record,
      children: new ChildCache(),
      moving: undefined,
      mode: kept?.mode,
      mtimeNs: kept?.mtimeNs,
      owner: kept?.owner,
    }));
  }

  volumeObject(
    place: Place<VolumeDirectoryNode | VirtualDirectoryNode>,
    volume: Volume,
    object: MadeObject,
  ): VolumeObjectNode {
    const { location, record, pin } = object;
    return this.#nodes.add((id) => ({
      ...base(id, record ? `object:${volume.id}:${location}` : freshId(id), place),
      kind: 'volume-object',
      volume,
      pin,
      location,
      record,
      sizeIsOld: false,
      draft: undefined,
      mode: undefined,
      writtenMs: undefined,
    }));
  }

  volumeDirectory(
    place: Place,
    volume: Volume,
    level: { readonly prefix: string; readonly local: boolean },
  ): VolumeDirectoryNode {
    return this.#nodes.add((id) => ({
      ...base(id, `prefix:${volume.id}:${level.prefix}`, place),
      kind: 'volume-directory',
      volume,
      ...level,
      children: new ChildCache(),
    }));
  }

  specialFile(
    place: Place<FolderNode>,
    made: Pick<SpecialFileNode, 'type' | 'mode' | 'madeMs'>,
  ): SpecialFileNode {
    return this.#nodes.add((id) => ({ ...base(id, freshId(id), place), kind: 'special-file', ...made }));
  }

  /** Another node for the same folder. Nothing is in its cache yet. */
  folderAgain<F extends FolderNode>(folder: F, parent: DirectoryNode): F {
    const children = new ChildCache<Node>();
    return this.#nodes.add((id) => ({ ...folder, id, parent, lookups: 0, checkedMs: NEVER_MS, children }));
  }

  virtualDirectory(place: Place, source: VirtualSource): VirtualDirectoryNode {
    return this.#nodes.add((id) => ({
      ...base(id, virtualId(place), place),
      kind: 'virtual-directory',
      children: new ChildCache(),
      source,
    }));
  }
}

type Base<P extends DirectoryNode> = Omit<VirtualDirectoryNode, 'kind' | 'children' | 'source' | 'parent'> & {
  parent: P | undefined;
};

function base<P extends DirectoryNode>(id: NodeId, firstId: string, place: Place<P>): Base<P> {
  const { parent, name } = place;
  return {
    id,
    ino: parent ? inodeNumber(firstId) : 1n,
    parent,
    name,
    lookups: 0,
    checkedMs: NEVER_MS,
    mtimeNs: undefined,
    owner: undefined,
    atimeNs: undefined,
    changedMs: undefined,
  };
}

/** A file that has no id of the platform yet; node numbers are unique within the mount. */
function freshId(id: NodeId): string {
  return `new:${id}`;
}

function virtualId(place: Place): string {
  return `virtual:${place.parent?.ino ?? ''}/${place.name}`;
}
