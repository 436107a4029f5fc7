/**
 * Paths of fields (`a`, `a.b`), prepared for a page full of resources: each field is looked up, and the paths inside it
 * are worked out once. A key may itself hold dots: the whole rest of a path is tried too.
 */
export class FieldPaths {
  readonly #paths: ReadonlySet<string>;
  readonly #below = new Map<string, FieldPaths>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0;
  }

  has(field: string): boolean {
    return this.#paths.has(field);
  }

  /** Whether they name the field or one inside it. */
  touch(field: string): boolean {
    return this.has(field) || !this.below(field).isEmpty;
  }

  /** The paths inside `field`. */
  below(field: string): FieldPaths {
    let below = this.#below.get(field);
    if (below === undefined) {
      const inner = [...this.#paths].filter((path) => path.startsWith(`${field}.`));
      below = new FieldPaths(inner.map((path) => path.slice(field.length + 1)));
      this.#below.set(field, below);
    }
    return below;
  }
}
