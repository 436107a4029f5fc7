/**
 * What a directory is known to hold: names with their nodes, names known to be absent, and whether all names are
 * known. Each fact has the time it was learnt (a node carries its own: `checkedMs`); how long that counts is the
 * reader's decision.
 *
 * Facts come from two sides. What we did here (`put`, `remove`) is true at once and raises `generation`. What the
 * platform told (`learn`, `learnAll`) is as old as the question: whoever asks takes the generation first and gives it
 * back with the answer, and an answer never undoes a local change of the same name made since.
 */

/** What the cache needs to know of a node. */
interface Dated {
  /** When it was last known to be as the platform has it. */
  checkedMs: number;
}

export type Known<Node> =
  | { readonly kind: 'present'; readonly node: Node }
  | { readonly kind: 'absent'; readonly learntMs: number };

interface Fact<Node> {
  readonly known: Known<Node>;
  /** The generation that our own last change of this name made; 0: never. */
  readonly changedAt: number;
}

export class ChildCache<Node extends Dated> {
  readonly #facts = new Map<string, Fact<Node>>();
  #completeMs: number | undefined;
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  /** When every name was last known, or undefined. */
  get completeMs(): number | undefined {
    return this.#completeMs;
  }

  get(name: string): Known<Node> | undefined {
    return this.#facts.get(name)?.known;
  }

  /** The nodes known, in the order they were learnt. */
  *nodes(): IterableIterator<Node> {
    for (const { known } of this.#facts.values()) if (known.kind === 'present') yield known.node;
  }

  /** We put `node` under `name`. */
  put(name: string, node: Node, nowMs: number): void {
    node.checkedMs = nowMs;
    this.#facts.set(name, { known: { kind: 'present', node }, changedAt: ++this.#generation });
  }

  /** We took what was under `name` away. */
  remove(name: string, nowMs: number): void {
    this.#facts.set(name, { known: { kind: 'absent', learntMs: nowMs }, changedAt: ++this.#generation });
  }

  /** We made this directory: nothing is in it. */
  startEmpty(nowMs: number): void {
    this.#completeMs = nowMs;
  }

  /** Whether our own change of `name` is younger than a question asked at `generation`. */
  changedSince(name: string, generation: number): boolean {
    return (this.#facts.get(name)?.changedAt ?? 0) > generation;
  }

  /** The platform's answer to a question asked at `generation`; a younger local change of the name stays. */
  learn(
    name: string,
    node: Node | undefined,
    asked: { readonly generation: number; readonly nowMs: number },
  ): void {
    if (this.changedSince(name, asked.generation)) return;
    if (node) node.checkedMs = asked.nowMs;
    const known: Known<Node> = node ? { kind: 'present', node } : { kind: 'absent', learntMs: asked.nowMs };
    this.#facts.set(name, { known, changedAt: this.#facts.get(name)?.changedAt ?? 0 });
  }

  /**
   * All names of the platform were asked for at `generation`, and those present have been learnt: the names not in
   * `listed` are gone, but for younger local changes and for what `keep` says exists only here. Answers the nodes
   * that are gone; their names are no longer known.
   */
  learnAll(
    listed: ReadonlySet<string>,
    asked: { readonly generation: number; readonly nowMs: number },
    keep: (node: Node) => boolean,
  ): readonly Node[] {
    const gone: Node[] = [];
    for (const [name, { known, changedAt }] of this.#facts) {
      if (listed.has(name) || changedAt > asked.generation) continue;
      if (known.kind === 'present' && keep(known.node)) continue;
      if (known.kind === 'present') gone.push(known.node);
      this.#facts.delete(name);
    }
    this.#completeMs = asked.nowMs;
    return gone;
  }

  /** Nothing is known any more about `name`. */
  forget(name: string): void {
    this.#facts.delete(name);
    this.#completeMs = undefined;
  }

  /** Everything must be asked for anew; the nodes stay known by name so that they keep their numbers. */
  expire(): void {
    this.#completeMs = undefined;
    for (const [name, { known }] of this.#facts) {
      if (known.kind === 'present') known.node.checkedMs = Number.NEGATIVE_INFINITY;
      else this.#facts.delete(name);
    }
  }
}
