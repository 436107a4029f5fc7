import type { FastifyRequest } from 'fastify';

/**
 * The query parameter `fields`: `a,b` keeps only those, `!a` all but that one, `a.b` a field inside a field, `_all`
 * everything; these may be mixed. Without it a resource is whole and an item of a list has its default fields.
 */
export class FieldSelector {
  readonly #kept: FieldPaths;
  readonly #dropped: FieldPaths;
  readonly #all: boolean;

  constructor(fields: string | undefined) {
    const words = (fields ?? '').split(',').map((word) => word.trim());
    const named = words.filter((word) => word !== '' && word !== '_all');
    this.#all = words.includes('_all');
    this.#kept = new FieldPaths(named.filter((word) => !word.startsWith('!')));
    this.#dropped = new FieldPaths(named.filter((word) => word.startsWith('!')).map((word) => word.slice(1)));
  }

  /** Whether the answer would show the top-level field. */
  wants(field: string, defaults?: readonly string[]): boolean {
    if (this.#dropped.has(field)) return false;
    if (this.#all) return true;
    if (!this.#kept.isEmpty) return this.#kept.touch(field);
    return !this.#dropped.isEmpty || defaults === undefined || defaults.includes(field);
  }

  apply(resource: object): object {
    return this.#select(resource, this.#keptOf(undefined));
  }

  /** @param defaults The fields of a list item that nobody chose fields for. */
  applyToAll(resources: readonly object[], defaults: readonly string[]): object[] {
    const kept = this.#keptOf(defaults);
    return resources.map((resource) => this.#select(resource, kept));
  }

  /** Undefined where all is kept. */
  #keptOf(defaults: readonly string[] | undefined): FieldPaths | undefined {
    if (this.#all) return undefined;
    if (!this.#kept.isEmpty) return this.#kept;
    return !this.#dropped.isEmpty || defaults === undefined ? undefined : new FieldPaths(defaults);
  }

  #select(resource: object, kept: FieldPaths | undefined): object {
    const left = kept === undefined ? resource : only(resource, kept);
    return this.#dropped.isEmpty ? left : without(left, this.#dropped);
  }
}

type Fields = Record<string, unknown>;

function only(resource: object, paths: FieldPaths): object {
  const kept: Fields = {};
  for (const field of Object.keys(resource)) {
    const value = (resource as Fields)[field];
    if (paths.has(field)) kept[field] = value;
    else if (isObject(value)) {
      const inner = paths.below(field);
      if (!inner.isEmpty) kept[field] = only(value, inner);
    }
  }
  return kept;
}

function without(resource: object, paths: FieldPaths): object {
  if (paths.isEmpty) return resource;
  const left: Fields = {};
  for (const field of Object.keys(resource)) {
    if (paths.has(field)) continue;
    const value = (resource as Fields)[field];
    left[field] = isObject(value) ? without(value, paths.below(field)) : value;
  }
  return left;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Paths of fields (`a`, `a.b`), prepared for a page full of resources: each field is looked up, and the paths inside it
 * are worked out once. A key may itself hold dots: the whole rest of a path is tried too.
 */
class FieldPaths {
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

/**
 * Applies the `fields` of the request to the answer: to the items of a collection, what a search found, the resources of bulk
 * entries, or the resource itself. Error objects are left alone.
 */
export function selectFields(request: FastifyRequest, answer: unknown): unknown {
  if (request.failed || typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const { selector } = request;
  const { listFields, bulk } = request.routeOptions.config;
  if (listFields !== undefined && hasItems(answer)) {
    return { ...answer, items: selector.applyToAll(answer.items, listFields) };
  }
  if (isFound(answer)) {
    return { ...answer, result_set: answer.result_set.map((resource) => selector.apply(resource)) };
  }
  if (bulk === true && hasItems(answer)) {
    return { items: answer.items.map((entry) => selectInEntry(entry, request)) };
  }
  return selector.apply(answer);
}

function hasItems(answer: object): answer is { items: object[] } {
  return 'items' in answer && Array.isArray(answer.items);
}

/** The answer to a search. */
function isFound(answer: object): answer is { result_set: object[] } {
  return 'result_set' in answer && Array.isArray(answer.result_set);
}

function selectInEntry(entry: object, { selector }: FastifyRequest): object {
  if (!('resource' in entry) || typeof entry.resource !== 'object' || entry.resource === null) return entry;
  return { ...entry, resource: selector.apply(entry.resource) };
}
