import { type KernelCaches, type NodeId, ROOT_NODE } from '../file-system.ts';

/** The kernel's caches once a driver is there; until then there is no kernel that could have cached anything. */
export class KernelLink implements KernelCaches {
  #caches: KernelCaches | undefined;
  #top: NodeId = ROOT_NODE;

  attach(caches: KernelCaches | undefined): void {
    this.#caches = caches;
  }

  /** The kernel knows this directory as its root, and nothing above it. */
  setTop(top: NodeId): void {
    this.#top = top;
  }

  invalidateEntry(parent: NodeId, name: string): void {
    this.#known(parent)?.invalidateEntry(this.#asKernelHasIt(parent), name);
  }

  lookedUp(parent: NodeId, name: string): void {
    this.#known(parent)?.lookedUp(this.#asKernelHasIt(parent), name);
  }

  invalidateNode(node: NodeId, offset?: number): void {
    this.#known(node)?.invalidateNode(this.#asKernelHasIt(node), offset);
  }

  /** Undefined for the top of the tree, where the kernel's root is another directory. */
  #known(node: NodeId): KernelCaches | undefined {
    return node === ROOT_NODE && this.#top !== ROOT_NODE ? undefined : this.#caches;
  }

  #asKernelHasIt(node: NodeId): NodeId {
    return node === this.#top ? ROOT_NODE : node;
  }
}
