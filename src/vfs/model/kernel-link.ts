import type { KernelCaches, NodeId } from '../file-system.ts';

/** The kernel's caches once a driver is there; until then there is no kernel that could have cached anything. */
export class KernelLink implements KernelCaches {
  #caches: KernelCaches | undefined;

  attach(caches: KernelCaches | undefined): void {
    this.#caches = caches;
  }

  invalidateEntry(parent: NodeId, name: string): void {
    this.#caches?.invalidateEntry(parent, name);
  }

  lookedUp(parent: NodeId, name: string): void {
    this.#caches?.lookedUp(parent, name);
  }

  invalidateNode(node: NodeId, offset?: number): void {
    this.#caches?.invalidateNode(node, offset);
  }
}
