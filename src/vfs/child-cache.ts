/**
 * What a directory is known to hold: names with their nodes, names known to be absent, and whether all names are
 * known. Each fact has the time it was learnt; how long that counts is the reader's decision.
 *
 * A local change (`put`, `remove`) raises `generation`. Whoever lists the directory takes the generation first and
 * gives it to `replaceAll`, which refuses a listing that a local change has overtaken: it would undo the change.
 */
import type { Node } from './node.ts';

export type Known =
  | { readonly kind: 'present'; readonly node: Node; readonly learntMs: number }
  | { readonly kind: 'absent'; readonly learntMs: number };

export class ChildCache {
  readonly #known = new Map<string, Known>();
  #completeMs: number | undefined;
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  /** When every name was last known, or undefined. */
  get completeMs(): number | undefined {
    return this.#completeMs;
  }

  get(name: string): Known | undefined {
    return this.#known.get(name);
  }

  /** The nodes known, in no particular order. */
  *nodes(): IterableIterator<Node> {
    for (const known of this.#known.values()) if (known.kind === 'present') yield known.node;
  }

  /** A fact learnt from the service; changes nothing that was done here. */
  learn(name: string, node: Node | undefined, nowMs: number): void {
    this.#known.set(
      name,
      node ? { kind: 'present', node, learntMs: nowMs } : { kind: 'absent', learntMs: nowMs },
    );
  }

  /** We put `node` under `name`. */
  put(name: string, node: Node, nowMs: number): void {
    this.#generation++;
    this.learn(name, node, nowMs);
  }

  /** We took what was under `name` away. */
  remove(name: string, nowMs: number): void {
    this.#generation++;
    this.learn(name, undefined, nowMs);
  }

  /**
   * A whole listing begun at `generation`. Answers the nodes that are no longer there, or undefined when a local
   * change has overtaken the listing and nothing was taken over.
   */
  replaceAll(
    children: ReadonlyMap<string, Node>,
    generation: number,
    nowMs: number,
  ): readonly Node[] | undefined {
    if (generation !== this.#generation) return undefined;
    const gone: Node[] = [];
    for (const [name, known] of this.#known) {
      if (known.kind === 'present' && children.get(name) !== known.node) gone.push(known.node);
    }
    this.#known.clear();
    for (const [name, node] of children) this.learn(name, node, nowMs);
    this.#completeMs = nowMs;
    return gone;
  }

  /** Everything must be asked for anew; the nodes stay known by name so that they keep their numbers. */
  expire(): void {
    this.#completeMs = undefined;
    for (const [name, known] of this.#known)
      this.#known.set(name, { ...known, learntMs: Number.NEGATIVE_INFINITY });
  }
}
