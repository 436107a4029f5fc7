import { FsError } from '../errors/fs-error.ts';
import type { FileHandle, NodeId } from '../file-system.ts';
import type { AnnexDirectory, AnnexNode } from './node.ts';

/** Numbers from here on are of annexes: the tree counts up from 1 and never comes this far. */
const FIRST = 2 ** 48;

export function isAnnexNumber(id: NodeId | FileHandle): boolean {
  return id >= FIRST;
}

/** Counts up. No number is given twice within a mount. */
export class AnnexNumbers<T extends NodeId | FileHandle> {
  #next = FIRST;

  next(): T {
    return this.#next++ as T;
  }
}

/** The nodes of all annexes that the kernel knows. */
export class AnnexNodes {
  readonly #nodes = new Map<NodeId, AnnexNode>();
  readonly #numbers = new AnnexNumbers<NodeId>();

  add<N extends AnnexNode>(make: (id: NodeId) => N): N {
    const node = make(this.#numbers.next());
    this.#nodes.set(node.id, node);
    node.parent?.children.set(node.name, node);
    return node;
  }

  /** @throws ESTALE */
  get(id: NodeId): AnnexNode {
    const node = this.#nodes.get(id);
    if (!node) throw new FsError('ESTALE', `node ${id} is no longer known`);
    return node;
  }

  /** @throws ENOTDIR */
  directory(id: NodeId): AnnexDirectory {
    const node = this.get(id);
    if (node.kind !== 'directory') throw new FsError('ENOTDIR', `${node.name} is not a directory`);
    return node;
  }

  /** Told for the top of an annex whether it went. */
  forget(id: NodeId, count: number): AnnexNode | undefined {
    const node = this.#nodes.get(id);
    if (node === undefined) return undefined;
    node.lookups -= count;
    if (node.lookups > 0) return undefined;
    this.#nodes.delete(id);
    if (node.parent?.children.get(node.name) === node) node.parent.children.delete(node.name);
    return node;
  }
}
