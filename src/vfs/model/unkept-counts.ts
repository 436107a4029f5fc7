/** An attribute that a program may set and nothing keeps (SEMANTICS.md, "What is not kept"). */
export type UnkeptAttribute = 'owner' | 'mode' | 'time';

/** How many changes of each kind were accepted and forgotten since the mount began. */
export type UnkeptSnapshot = Readonly<Record<UnkeptAttribute, number>>;

/** Counts attributes that were accepted and forgotten, so that a person can see that there were some. */
export class UnkeptCounts {
  readonly #counts: Record<UnkeptAttribute, number> = { owner: 0, mode: 0, time: 0 };

  add(attribute: UnkeptAttribute): void {
    this.#counts[attribute] += 1;
  }

  snapshot(): UnkeptSnapshot {
    return { ...this.#counts };
  }
}
