import { FsError } from '../errors/fs-error.ts';
import type { KernelCaches, NodeId } from '../file-system.ts';
import { Numbers } from '../model/number-ranges.ts';
import type { DirectoryNode, FileNode, SyntheticNode } from './node.ts';

/** Bytes of files that the kernel may ask for again, before the oldest are given up. */
const MOST_BYTES = 64 * 2 ** 20;

/** The synthetic nodes that the kernel knows. */
export class SyntheticNodes {
  readonly #nodes = new Map<NodeId, SyntheticNode>();
  readonly #numbers = new Numbers<NodeId>('synthetic');
  readonly #kernel: Pick<KernelCaches, 'invalidateEntry'>;
  readonly #mostBytes: number;
  /** Oldest first. */
  readonly #files = new Set<FileNode>();
  #bytes = 0;

  constructor(kernel: Pick<KernelCaches, 'invalidateEntry'>, mostBytes = MOST_BYTES) {
    this.#kernel = kernel;
    this.#mostBytes = mostBytes;
  }

  add<N extends SyntheticNode>(make: (id: NodeId) => N): N {
    const node = make(this.#numbers.next());
    this.#nodes.set(node.id, node);
    node.parent?.children.set(node.name, node);
    if (node.kind === 'file') this.#weigh(node);
    return node;
  }

  /** A directory that the kernel has a number of another range for. */
  addTop(node: DirectoryNode): void {
    this.#nodes.set(node.id, node);
  }

  dropTop(id: NodeId): void {
    this.#nodes.delete(id);
  }

  find(id: NodeId): SyntheticNode | undefined {
    return this.#nodes.get(id);
  }

  tops(): readonly DirectoryNode[] {
    return [...this.#nodes.values()].filter((node) => node.parent === undefined) as readonly DirectoryNode[];
  }

  /** @throws ESTALE */
  get(id: NodeId): SyntheticNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new FsError('ESTALE', `node ${id} is no longer known`);
    return node;
  }

  /** @throws ENOTDIR, and ESTALE when it is gone */
  directory(id: NodeId): DirectoryNode {
    const node = this.get(id);
    if (node.kind !== 'directory') throw new FsError('ENOTDIR', `${node.name} is not a directory`);
    if (isGone(node)) throw new FsError('ESTALE', `${node.name} is gone`);
    return node;
  }

  /** The kernel gave `count` references up. */
  forget(id: NodeId, count: number): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    node.lookups -= count;
    this.#dropUnused(node);
  }

  /** Its name means something else by now, or nothing. The kernel asks for the names below it no more. */
  lose(node: SyntheticNode): void {
    node.isGone = true;
    if (node.parent?.children.get(node.name) === node) node.parent.children.delete(node.name);
    this.#dropUnused(node);
  }

  /** A directory that has children that the kernel holds stays known: they have their path by it. */
  #dropUnused(node: SyntheticNode): void {
    if (node.lookups > 0 || node.parent === undefined) return;
    if (node.kind === 'directory' && node.children.size > 0) return;
    this.#nodes.delete(node.id);
    if (node.kind === 'file' && this.#files.delete(node)) this.#bytes -= node.bytes.length;
    if (node.parent.children.get(node.name) === node) node.parent.children.delete(node.name);
    this.#dropUnused(node.parent);
  }

  /** The kernel forgets a name that no program has open, and its node with it; the next look renders it anew. */
  #weigh(node: FileNode): void {
    this.#files.add(node);
    this.#bytes += node.bytes.length;
    for (const oldest of this.#files) {
      if (this.#bytes <= this.#mostBytes || oldest === node) return;
      // Asked for once: one that is open goes when it is closed, and the next ones go meanwhile.
      this.#files.delete(oldest);
      this.#bytes -= oldest.bytes.length;
      if (oldest.lookups === 0) this.lose(oldest);
      else if (!oldest.isGone) this.#kernel.invalidateEntry(oldest.parent.id, oldest.name);
    }
  }
}

function isGone(node: SyntheticNode): boolean {
  return node.isGone || (node.parent !== undefined && isGone(node.parent));
}
