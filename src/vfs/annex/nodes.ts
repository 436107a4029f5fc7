import { FsError } from '../errors/fs-error.ts';
import type { NodeId } from '../file-system.ts';
import { Numbers } from '../model/number-ranges.ts';
import type { AnnexDirectory, AnnexNode } from './node.ts';

/** The nodes of all annexes that the kernel knows. */
export class AnnexNodes {
  readonly #nodes = new Map<NodeId, AnnexNode>();
  readonly #numbers = new Numbers<NodeId>('annex');

  add<N extends AnnexNode>(make: (id: NodeId) => N): N {
    const node = make(this.#numbers.next());
    this.#nodes.set(node.id, node);
    node.parent?.children.set(node.name, node);
    return node;
  }

  has(id: NodeId): boolean {
    return this.#nodes.has(id);
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
