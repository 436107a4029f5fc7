/**
 * The query parameter `fields`: `a,b` keeps only those, `!a` all but that one, `a.b` a field inside a field, `_all`
 * everything; these may be mixed. Without it a resource is whole and an item of a list has its default fields.
 */
export class FieldSelector {
  readonly #kept: readonly string[];
  readonly #dropped: readonly string[];
  readonly #all: boolean;

  constructor(fields: string | undefined) {
    const words = (fields ?? '').split(',').map((word) => word.trim());
    const named = words.filter((word) => word !== '' && word !== '_all');
    this.#all = words.includes('_all');
    this.#kept = named.filter((word) => !word.startsWith('!'));
    this.#dropped = named.filter((word) => word.startsWith('!')).map((word) => word.slice(1));
  }

  /** Whether the answer would show the top-level field. */
  wants(field: string, defaults?: readonly string[]): boolean {
    if (this.#dropped.includes(field)) return false;
    if (this.#all) return true;
    if (this.#kept.length > 0)
      return this.#kept.some((path) => path === field || path.startsWith(`${field}.`));
    return this.#dropped.length > 0 || defaults === undefined || defaults.includes(field);
  }

  /** @param defaults The fields of a list item that nobody chose fields for. */
  apply(resource: object, defaults?: readonly string[]): object {
    return without(this.#keep(resource, defaults), this.#dropped);
  }

  #keep(resource: object, defaults: readonly string[] | undefined): object {
    if (this.#all) return resource;
    if (this.#kept.length > 0) return only(resource, this.#kept);
    return this.#dropped.length > 0 || defaults === undefined ? resource : only(resource, defaults);
  }
}

type Fields = Record<string, unknown>;

function only(resource: object, paths: readonly string[]): object {
  const kept: Fields = {};
  for (const [field, value] of Object.entries(resource)) {
    if (paths.includes(field)) kept[field] = value;
    else if (isObject(value)) {
      const inner = below(field, paths);
      if (inner.length > 0) kept[field] = only(value, inner);
    }
  }
  return kept;
}

function without(resource: object, paths: readonly string[]): object {
  if (paths.length === 0) return resource;
  const left: Fields = {};
  for (const [field, value] of Object.entries(resource)) {
    if (paths.includes(field)) continue;
    left[field] = isObject(value) ? without(value, below(field, paths)) : value;
  }
  return left;
}

/** What the paths say of the fields inside `field`. A key may itself hold dots: the rest is tried whole first. */
function below(field: string, paths: readonly string[]): string[] {
  return paths.filter((path) => path.startsWith(`${field}.`)).map((path) => path.slice(field.length + 1));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
