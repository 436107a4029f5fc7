/** Of a draft whose publication an ended mount was asked for, and that nobody changed since. */
export const RECOVERED_CHANGES = 1;

/** Of what was never done to a draft, or to other bytes than it has or had. */
export const NO_COUNT = -1;

/**
 * How often a draft was changed, and how often when it was published, synced and committed last. A publication takes the
 * count when it begins, so what is written while it runs keeps the draft dirty for the next.
 */
export class ChangeCounts {
  #now = 0;
  #published = 0;
  #begun = NO_COUNT;
  #synced = NO_COUNT;
  #committed = NO_COUNT;
  /** The last commit waits for a later mount: this mount does not publish it. */
  #stays = false;

  constructor({ isRecovered }: { readonly isRecovered: boolean }) {
    if (isRecovered) this.#now = this.#synced = this.#committed = RECOVERED_CHANGES;
  }

  get now(): number {
    return this.#now;
  }

  get isDirty(): boolean {
    return this.#now !== this.#published;
  }

  get isCommitted(): boolean {
    return this.#now === this.#committed;
  }

  /** It is as it was committed, and about to be published without anyone writing more. */
  get isToFollow(): boolean {
    return this.isDirty && this.isCommitted && !this.#stays;
  }

  /** Something was synced that is not published. */
  get isSyncedFurther(): boolean {
    return this.#synced > this.#published;
  }

  /** Something was. */
  get isSynced(): boolean {
    return this.#synced > 0;
  }

  /** The count when the last publication was begun. */
  get begun(): number {
    return this.#begun;
  }

  change(): void {
    this.#now += 1;
  }

  /** A publication begins, of as many as answered. */
  begin(): number {
    this.#begun = this.#now;
    return this.#now;
  }

  published(changes: number): void {
    this.#published = changes;
  }

  synced(changes: number): void {
    this.#synced = changes;
  }

  committed(changes: number): void {
    this.#committed = changes;
    this.#stays = false;
  }

  /** Leaves the last commit to a later mount. */
  stay(): void {
    this.#stays = true;
  }
}
