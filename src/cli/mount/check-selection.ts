import type { Api } from '../../api/api.ts';
import type { CallOptions, PageRequest } from '../../api/call-options.ts';
import { ApiError } from '../../api/errors.ts';
import type { Page } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { IdPatterns, isPattern } from '../../lib/id-patterns.ts';
import { nearestWords } from '../../lib/nearest-word.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import type { Selection } from '../../vfs/directories/selection.ts';
import { CliError } from '../exit-codes.ts';

/** Platforms answer so where there is nothing of an id, where the user may not see it, and where nothing can have it. */
const MISSING: ReadonlySet<number> = new Set([400, 403, 404]);
const MOST_HINTS = 3;

interface SelectionAsGiven extends Pick<Selection, 'projects' | 'volumes'> {
  /** It is the one that this is in. */
  readonly root?: string | undefined;
}

interface Item {
  readonly id: string;
  readonly name: string;
}

interface Kind {
  readonly what: 'project' | 'volume';
  /** How a person has named one. */
  option(id: string): string;
  get(id: string): Promise<Item>;
  list(page: PageRequest, options: CallOptions): Promise<Page<Item>>;
}

/**
 * Looks whether what `--project`, `--volume` and `--root` name is there. Answers a warning for each pattern that nothing fits yet.
 *
 * @throws CliError for a name without a pattern that does not exist, or may not be seen
 */
export async function checkSelection(
  { projects, volumes }: Pick<Api, 'projects' | 'volumes'>,
  { root, projects: ofProjects = [], volumes: ofVolumes = [] }: SelectionAsGiven,
): Promise<readonly string[]> {
  const warnings = await Promise.all([
    check(ofProjects, {
      what: 'project',
      option: (id) => (root === undefined ? `--project ${id}` : `--root projects/${id}`),
      get: (id) => projects.get(id),
      list: (page, options) => projects.list(page, options),
    }),
    check(ofVolumes, {
      what: 'volume',
      option: (id) => (root === undefined ? `--volume ${id}` : `--root volumes/${id}`),
      get: (id) => volumes.get(id),
      list: (page, options) => volumes.list(page, options),
    }),
  ]);
  return warnings.flat();
}

async function check(given: readonly string[], kind: Kind): Promise<readonly string[]> {
  const named = given.filter((text) => !isPattern(text));
  const there = await Promise.all(named.map((id) => isThere(id, kind)));
  const missing = named.find((_, index) => there[index] === false);
  if (missing !== undefined) throw await missingError(missing, kind);
  const patterns = given.filter(isPattern);
  if (patterns.length === 0) return [];
  const ids = await allIds(kind);
  return patterns
    .filter((pattern) => !ids.some((id) => new IdPatterns([pattern]).has(id)))
    .map((pattern) => `${kind.option(pattern)}: nothing fits it now`);
}

async function isThere(id: string, kind: Kind): Promise<boolean> {
  try {
    // A platform that takes another spelling for it shows it under its own.
    return (await kind.get(id)).id === id;
  } catch (error) {
    if (error instanceof ApiError && MISSING.has(error.status)) return false;
    throw error;
  }
}

async function missingError(id: string, kind: Kind): Promise<CliError> {
  const near = nearestWords(id, await allIds(kind), MOST_HINTS);
  const hint =
    near.length === 0 ? `you are a member of no ${kind.what}` : `did you mean ${near.join(', or ')}?`;
  return new CliError(
    'usage',
    `${kind.option(id)}: there is no such ${kind.what}, or you are no member of it: ${hint}`,
  );
}

async function allIds(kind: Kind): Promise<readonly string[]> {
  const fetch = (page: PageRequest, signal: AbortSignal): Promise<Page<Item>> => kind.list(page, { signal });
  const items = await collect(
    pagesInOrder(fetch, { what: `the list of ${kind.what}s`, limit: PAGE_LIMIT_MAX }),
  );
  return items.map(({ id }) => id);
}
