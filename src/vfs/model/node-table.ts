import { FsError } from '../errors/fs-error.ts';
import type { NodeId } from '../file-system.ts';
import { ROOT_NODE } from '../file-system.ts';
import type { DirectoryNode, Node } from './node.ts';
import { isDirectory } from './node.ts';

/** Nodes by the number the kernel has for them. Numbers count up and are never given twice within a mount. */
export class NodeTable {
  readonly #nodes = new Map<NodeId, Node>();
  #next = ROOT_NODE as number;

  get size(): number {
    return this.#nodes.size;
  }

  /** Takes a new node in; the first is the root. */
  add<N extends Node>(make: (id: NodeId) => N): N {
    const node = make(this.#next++ as NodeId);
    this.#nodes.set(node.id, node);
    return node;
  }

  get(id: NodeId): Node {
    const node = this.#nodes.get(id);
    if (!node) throw new FsError('ESTALE', `node ${id} is no longer known`);
    return node;
  }

  directory(id: NodeId): DirectoryNode {
    const node = this.get(id);
    if (!isDirectory(node)) throw new FsError('ENOTDIR', `${node.name} is not a directory`);
    return node;
  }

  /** The kernel's root is this directory from here on, and not the top of the tree. To be said before the kernel asks. */
  setTop(directory: DirectoryNode): void {
    directory.lookups += 1;
    this.#nodes.set(ROOT_NODE, directory);
  }

  /** Oldest first. */
  values(): IterableIterator<Node> {
    return this.#nodes.values();
  }

  /** The kernel gave `count` references up. A node that still has its place stays known, the kernel asks for it again. */
  forget(id: NodeId, count: number): void {
    const node = this.#nodes.get(id);
    if (!node) return;
    node.lookups = Math.max(0, node.lookups - count);
    if (node.lookups === 0 && !node.parent && id !== ROOT_NODE) this.drop(node);
  }

  drop(node: Node): void {
    this.#nodes.delete(node.id);
  }
}
