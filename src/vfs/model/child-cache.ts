/**
 * The known contents of a directory: names with their nodes, names known to be absent, and whether all names are known.
 * Each fact has the time it was learnt (a node carries its own: `checkedMs`); the reader decides how long that counts.
 *
 * Facts come from two sides. Our own changes (`put`, `remove`) are true at once and raise `generation`. Facts of the
 * platform (`learn`, `learnAll`) are as old as the question. The asking caller takes the generation first and gives it
 * back with the answer. An answer never undoes a local change of the same name made since.
 *
 * A present name is a node, which the kernel may hold; `prune.ts` bounds those. Nobody holds absences: of those that the
 * platform told, the last used are kept. Our own removals stay until a listing is younger.
 */
import { LRUCache } from 'lru-cache';

/** Names that the platform said are absent, of one directory: a search path or a build asks for many, once each. */
const MOST_ABSENT = 10_000;

/** Of what does not count any more. */
const NEVER_MS = Number.NEGATIVE_INFINITY;

/** The facts of a node that the cache needs. */
interface Dated {
  /** When it was last known to be as the platform has it. */
  checkedMs: number;
}

export type Known<Node> =
  | { readonly kind: 'present'; readonly node: Node }
  | { readonly kind: 'absent'; readonly learntMs: number };

/** One object a name: there are a hundred thousand of them in a large folder. */
type Fact<Node> = Known<Node> & {
  /** The generation that our own last change of this name made; 0: never. */
  readonly changedAt: number;
};

export class ChildCache<Node extends Dated> {
  readonly #facts = new Map<string, Fact<Node>>();
  /** When each was learnt. A name is here or in `#facts`, never in both. */
  #absent: LRUCache<string, number> | undefined;
  readonly #mostAbsent: number;
  #completeMs: number | undefined;
  #generation = 0;
  /** The generation at which something was last forgotten: an answer to an older question does not make all known. */
  #forgottenAt = 0;
  #additions = 0;
  #removals = 0;
  /** Those who go through the names at this moment, and give each with its node. */
  readers = 0;

  constructor(mostAbsent = MOST_ABSENT) {
    this.#mostAbsent = mostAbsent;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Names known to be present, and those we removed since the last listing. */
  get size(): number {
    return this.#facts.size;
  }

  /** Rises whenever a name comes, goes or means another node: while it stays, so do the names. */
  get version(): number {
    return this.#additions + this.#removals;
  }

  /** Rises whenever a name goes or means another node. */
  get removals(): number {
    return this.#removals;
  }

  /** When every name was last known, or undefined. */
  get completeMs(): number | undefined {
    return this.#completeMs;
  }

  get(name: string): Known<Node> | undefined {
    const learntMs = this.#absent?.get(name);
    return learntMs === undefined ? this.#facts.get(name) : { kind: 'absent', learntMs };
  }

  /** The nodes known, in the order they were learnt. */
  *nodes(): IterableIterator<Node> {
    for (const fact of this.#facts.values()) if (fact.kind === 'present') yield fact.node;
  }

  /** We put `node` under `name`. */
  put(name: string, node: Node, nowMs: number): void {
    node.checkedMs = nowMs;
    this.#countChange(name, node);
    this.#absent?.delete(name);
    this.#facts.set(name, { kind: 'present', node, changedAt: ++this.#generation });
  }

  /** We took what was under `name` away. */
  remove(name: string, nowMs: number): void {
    this.#countChange(name, undefined);
    this.#absent?.delete(name);
    this.#facts.set(name, { kind: 'absent', learntMs: nowMs, changedAt: ++this.#generation });
  }

  /** We made this directory: nothing is in it. */
  startEmpty(nowMs: number): void {
    this.#completeMs = nowMs;
  }

  /** Whether our own change of `name` is younger than a question asked at `generation`. */
  changedSince(name: string, generation: number): boolean {
    return (this.#facts.get(name)?.changedAt ?? 0) > generation;
  }

  /** Whether something is to be asked anew that may have been asked at `generation`. */
  forgottenSince(generation: number): boolean {
    return this.#forgottenAt > generation;
  }

  /** The platform's answer to a question asked at `generation`; a younger local change of the name stays. */
  learn(
    name: string,
    node: Node | undefined,
    asked: { readonly generation: number; readonly nowMs: number },
  ): void {
    if (this.changedSince(name, asked.generation)) return;
    this.#countChange(name, node);
    const changedAt = this.#facts.get(name)?.changedAt ?? 0;
    if (node) {
      node.checkedMs = asked.nowMs;
      this.#absent?.delete(name);
      this.#facts.set(name, { kind: 'present', node, changedAt });
    } else if (changedAt > 0) {
      this.#facts.set(name, { kind: 'absent', learntMs: asked.nowMs, changedAt });
    } else {
      this.#facts.delete(name);
      this.#absences().set(name, asked.nowMs);
    }
  }

  /**
   * Ends a listing that was asked for at `generation`, and whose present names have been learnt. Names not in `listed`
   * are gone, except younger local changes and names that exist only here, as `keep` says. Answers the nodes that are
   * gone; their names are no longer known. A name that was forgotten meanwhile is still to be asked for.
   */
  learnAll(
    listed: ReadonlySet<string>,
    asked: { readonly generation: number; readonly nowMs: number },
    keep: (node: Node) => boolean,
  ): readonly Node[] {
    const gone: Node[] = [];
    for (const [name, fact] of this.#facts) {
      if (listed.has(name) || fact.changedAt > asked.generation) continue;
      if (fact.kind === 'present' && keep(fact.node)) continue;
      if (fact.kind === 'present') gone.push(fact.node);
      this.#countChange(name, undefined);
      this.#facts.delete(name);
    }
    this.#absent?.clear();
    this.#completeMs = this.forgottenSince(asked.generation) ? undefined : asked.nowMs;
    return gone;
  }

  /** Nothing is known any more about `name`, but that older answers do not count for it when we removed it. */
  forget(name: string): void {
    this.#countChange(name, undefined);
    this.#absent?.delete(name);
    const fact = this.#facts.get(name);
    if (fact?.kind === 'absent') this.#facts.set(name, { ...fact, learntMs: NEVER_MS });
    else this.#facts.delete(name);
    this.#loseCompleteness();
  }

  /** Everything must be asked for anew; the nodes stay known by name so that they keep their numbers. */
  expire(): void {
    this.#loseCompleteness();
    this.#absent?.clear();
    for (const [name, fact] of this.#facts) {
      if (fact.kind === 'present') fact.node.checkedMs = NEVER_MS;
      else this.#facts.set(name, { ...fact, learntMs: NEVER_MS });
    }
  }

  #loseCompleteness(): void {
    this.#completeMs = undefined;
    this.#forgottenAt = ++this.#generation;
  }

  #countChange(name: string, after: Node | undefined): void {
    const known = this.#facts.get(name);
    const before = known?.kind === 'present' ? known.node : undefined;
    if (before === after) return;
    if (before) this.#removals++;
    else this.#additions++;
  }

  /** Most directories need none. Bounded by size, not by `max`, which would reserve room for all of them at once. */
  #absences(): LRUCache<string, number> {
    this.#absent ??= new LRUCache({ maxSize: this.#mostAbsent, sizeCalculation: () => 1 });
    return this.#absent;
  }
}
