/**
 * The places of nodes in the tree. Two kinds of change are told apart, because the kernel knows of one only. The kernel
 * asked for the changes of `place`, `move` and `detach`. Other clients made the changes of `learn` and `lose` on the
 * platform, and the kernel's caches are told of them.
 */
import type { FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { ObjectState } from '../../content/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import { entriesChanged } from '../attributes/entries-changed.ts';
import type { KernelCaches } from '../file-system.ts';
import type { FolderState } from '../model/folder-state.ts';
import { isKept, isMoving, isReplacedUnderDraft, isSameNode } from '../model/identity.ts';
import type { Listed } from '../model/listed.ts';
import type {
  AliasNode,
  DirectoryNode,
  FolderNode,
  Node,
  ProjectFileNode,
  VolumeObjectNode,
} from '../model/node.ts';
import { isDirectory, isFolder, keepPathsOfDrafts } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import type { NodeTable } from '../model/node-table.ts';

interface PlacementParts {
  readonly nodes: NodeTable;
  readonly make: NodeMaker;
  readonly kernel: KernelCaches;
  readonly clock: Clock;
  readonly folderState: FolderState;
}

export class Placement {
  readonly #nodes: NodeTable;
  readonly #make: NodeMaker;
  readonly #kernel: KernelCaches;
  readonly #clock: Clock;
  readonly #folderState: FolderState;

  constructor(parts: PlacementParts) {
    this.#nodes = parts.nodes;
    this.#make = parts.make;
    this.#kernel = parts.kernel;
    this.#clock = parts.clock;
    this.#folderState = parts.folderState;
  }

  /** We put `node` where its parent and name say. */
  place(node: Node): void {
    const { parent, name } = node;
    if (!parent) return;
    const before = parent.children.get(name);
    const known = before?.kind === 'present' ? before.node : undefined;
    if (known && known !== node) this.#cutOff(known);
    if (known !== node) this.#entriesChanged(parent);
    parent.children.put(name, node, this.#clock.elapsed());
  }

  /** By our doing the platform has `listed` in the directory: its node, placed. */
  placeListed(directory: DirectoryNode, listed: Listed): Node {
    const known = directory.children.get(listed.name);
    const before = known?.kind === 'present' && isSameNode(known.node, listed) ? known.node : undefined;
    const node = before ?? this.#made(directory, listed);
    if (before) this.#refresh(before, listed);
    this.place(node);
    return node;
  }

  /** We moved `node`; what was at the target is out of the tree. */
  move(node: Node, to: { readonly parent: DirectoryNode; readonly name: string }): void {
    this.#takeOut(node);
    node.parent = to.parent;
    node.name = to.name;
    node.changedMs = this.#clock.now();
    if (node.kind === 'project-file' && to.parent.kind === 'project-folder') node.project = to.parent.project;
    this.place(node);
  }

  /** We took `node` away. */
  detach(node: Node): void {
    this.#takeOut(node);
    this.#cutOff(node);
  }

  /** We took away what had this name, known or not: an answer that is on its way does not bring it back. */
  remove(directory: DirectoryNode, name: string): void {
    const known = directory.children.get(name);
    directory.children.remove(name, this.#clock.elapsed());
    if (known?.kind !== 'present') return;
    this.changedElsewhere(directory);
    this.#cutOff(known.node);
  }

  /**
   * The platform told of `listed` in answer to a question asked at `generation`: its node, or what a younger change
   * of our own made of the name.
   */
  learn(directory: DirectoryNode, listed: Listed, generation: number): Node | undefined {
    const { children } = directory;
    const known = children.get(listed.name);
    const before = known?.kind === 'present' ? known.node : undefined;
    if (children.changedSince(listed.name, generation)) return before;
    if (before && (isMoving(before) || isReplacedUnderDraft(before, listed))) return before;
    const node = before && isSameNode(before, listed) ? before : this.#made(directory, listed);
    if (before && before !== node) this.#replaced(before, directory);
    if (before === node) this.#refresh(node, listed);
    // The kernel may still hold that there is nothing.
    const wasAbsent = known?.kind === 'absent' || (!known && children.completeMs !== undefined);
    if (wasAbsent || (before && before !== node)) this.changedElsewhere(directory);
    if (wasAbsent && directory.lookups > 0) this.#kernel.invalidateEntry(directory.id, listed.name);
    children.learn(listed.name, node, { generation, nowMs: this.#clock.elapsed() });
    return node;
  }

  /** The platform told that nothing has this name. */
  learnAbsent(directory: DirectoryNode, name: string, generation: number): void {
    const { children } = directory;
    const known = children.get(name);
    if (children.changedSince(name, generation)) return;
    // Begun to be written, or moved, here since we asked.
    if (known?.kind === 'present' && isKept(known.node)) return;
    const isOld = children.forgottenSince(generation);
    if (known?.kind === 'present') {
      this.changedElsewhere(directory);
      this.lose(known.node);
    }
    // It may have come into being by what made us forget.
    if (!isOld) children.learn(name, undefined, { generation, nowMs: this.#clock.elapsed() });
  }

  /** The store told what is behind an alias: of other bytes, or of another size than it was shown with, it is another node. */
  learnObject(node: AliasNode, object: ObjectState): void {
    const { parent, record } = node;
    const known = node.object ?? { etag: object.etag, sizeBytes: record.sizeBytes };
    if (known.etag === object.etag && known.sizeBytes === object.sizeBytes) {
      node.object = object;
      return;
    }
    if (parent?.kind !== 'project-folder') return;
    const next = this.#make.projectFile({ parent, name: node.name }, node.project, node);
    next.object = object;
    const { generation } = parent.children;
    parent.children.learn(next.name, next, { generation, nowMs: node.checkedMs });
    this.lose(node);
  }

  /** Someone else took `node` away or put another thing in its place. */
  lose(node: Node): void {
    const { parent, name } = node;
    if (!parent) return;
    const known = parent.children.get(name);
    if (known?.kind === 'present' && known.node === node) parent.children.forget(name);
    this.#replaced(node, parent);
  }

  /** Puts another node in the place of `folder` and of each folder below it. Their entries keep their places. */
  renew(folder: FolderNode): void {
    const { parent } = folder;
    if (!parent) return;
    const next = this.#renewed(folder, parent);
    this.place(next);
    next.checkedMs = Number.NEGATIVE_INFINITY;
  }

  /** The kernel did not ask for what became of the names of this directory: it is to ask for its time. */
  changedElsewhere(directory: DirectoryNode): void {
    this.#entriesChanged(directory);
    if (directory.lookups > 0) this.#kernel.invalidateNode(directory.id, -1);
  }

  #takeOut({ parent, name }: Node): void {
    if (!parent) return;
    parent.children.remove(name, this.#clock.elapsed());
    this.#entriesChanged(parent);
  }

  #entriesChanged(directory: DirectoryNode): void {
    entriesChanged({ clock: this.#clock, folderState: this.#folderState }, directory);
  }

  /** Its name in `parent` means another node, or nothing. */
  #replaced(node: Node, parent: DirectoryNode): void {
    if (node.lookups > 0) this.#kernel.invalidateEntry(parent.id, node.name);
    keepPathsOfDrafts(node);
    this.#cutOff(node);
  }

  /** Room is short: forgets a node that can be asked for again, or has the kernel let go of it first. */
  giveUp(node: Node): void {
    const { parent, name } = node;
    if (!parent) return;
    if (node.lookups > 0) {
      this.#kernel.invalidateEntry(parent.id, name);
      return;
    }
    parent.children.forget(name);
    this.#cutOff(node);
  }

  #renewed<F extends FolderNode>(folder: F, parent: DirectoryNode): F {
    const next = this.#make.folderAgain(folder, parent);
    for (const child of [...folder.children.nodes()]) {
      folder.children.forget(child.name);
      const again = isFolder(child) ? this.#renewed(child, next) : child;
      if (again !== child) this.#cutOff(child);
      again.parent = next;
      next.children.put(again.name, again, this.#clock.elapsed());
    }
    next.children.expire();
    return next;
  }

  #made(directory: DirectoryNode, listed: Listed): Node {
    const place = { parent: directory, name: listed.name };
    switch (listed.kind) {
      case 'virtual':
        if (directory.kind !== 'virtual-directory') break;
        return listed.make({ parent: directory, name: listed.name });
      case 'entry':
        if (directory.kind !== 'project-folder') break;
        return listed.record.kind === 'folder'
          ? this.#make.projectFolder(place, directory.project, listed.record)
          : this.#make.projectFile({ parent: directory, name: listed.name }, directory.project, {
              record: listed.record,
              link: listed.link,
            });
      case 'object': {
        if (directory.kind !== 'volume-directory') break;
        const { record } = listed;
        const object = { location: record.location, record };
        return this.#make.volumeObject({ parent: directory, name: listed.name }, directory.volume, object);
      }
      case 'prefix':
        if (directory.kind !== 'volume-directory') break;
        return this.#make.volumeDirectory(place, directory.volume, { prefix: listed.prefix, local: false });
      default:
        return listed satisfies never;
    }
    throw new TypeError(`${listed.kind} in a ${directory.kind}`);
  }

  #refresh(node: Node, listed: Listed): void {
    if (listed.kind === 'entry' && listed.record.kind === 'file' && node.kind === 'project-file') {
      this.#tellStale(node, listed.record);
      node.record = listed.record;
    } else if (listed.kind === 'entry' && listed.record.kind === 'folder' && node.kind === 'project-folder') {
      // Another folder of that name, or the same one moved away and back: what is in it may be others.
      if (node.record?.id !== listed.record.id) node.children.expire();
      node.record = listed.record;
    } else if (listed.kind === 'object' && node.kind === 'volume-object') {
      if (!node.draft) refreshObject(node, listed.record);
    } else if (listed.kind === 'prefix' && node.kind === 'volume-directory') {
      node.local = false;
    }
  }

  #tellStale(node: ProjectFileNode, told: FileRecord): void {
    const { record } = node;
    if (!record || node.lookups === 0) return;
    const same = record.sizeBytes === told.sizeBytes && record.modifiedMs === told.modifiedMs;
    if (!same) this.#kernel.invalidateNode(node.id, -1);
  }

  /** Takes a node and all below it out of the tree; those that the kernel does not hold are dropped. */
  #cutOff(node: Node): void {
    node.parent = undefined;
    if (isDirectory(node)) for (const child of node.children.nodes()) this.#cutOff(child);
    if (node.lookups === 0) this.#nodes.drop(node);
  }
}

/** Some stores list objects without some of this: what was told before of the node still is what its content is known by. */
function refreshObject(node: VolumeObjectNode, told: VolumeObjectRecord): void {
  const known = node.record;
  const isSame = told.etag !== undefined && told.etag === known?.etag;
  node.sizeIsOld = told.sizeBytes === undefined && !isSame;
  node.record = {
    ...told,
    sizeBytes: told.sizeBytes ?? known?.sizeBytes,
    etag: told.etag ?? known?.etag,
    modifiedMs: told.modifiedMs ?? known?.modifiedMs,
  };
}
