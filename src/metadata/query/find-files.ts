import type { Api } from '../../api/api.ts';
import type { FileSearch } from '../../api/model.ts';
import { type Asking, PRIORITY } from '../../places/asking.ts';
import { FolderPaths } from '../../places/folder-paths.ts';
import { filesAt } from '../../places/list-files.ts';
import type { FilePlace, FolderPlace } from '../../places/places.ts';
import { withoutTrash } from '../../places/trash-folder.ts';
import { matches } from './matches.ts';
import { decode, type Term } from './term.ts';

export interface QueryApi {
  readonly files: Asking['api']['files'] & Pick<Api['files'], 'search'>;
  readonly projects: Asking['api']['projects'];
}

export interface Querying {
  readonly api: QueryApi;
  readonly signal: AbortSignal;
  /** Where every folder has to be listed, at most so many files. Default: any number. */
  readonly filesMost?: number | undefined;
}

/**
 * The files below a folder that meet all conditions, by their paths. The platform judges which files have equal values: one
 * request for each 100 that do. Without such a condition every folder below is listed.
 */
export async function findFiles(
  folder: FolderPlace,
  terms: readonly Term[],
  querying: Querying,
): Promise<readonly FilePlace[]> {
  const candidates = (await searched(folder, terms, querying)) ?? (await listed(folder, querying));
  const depth = folder.names.length;
  const found = withoutTrash(folder, candidates).filter(({ file, names }) => {
    const path = names.slice(depth).join('/');
    return terms.every((term) => matches({ file, path }, term));
  });
  return found.sort((one, other) => compareNames(one.names, other.names));
}

function listed(folder: FolderPlace, { filesMost, ...asking }: Querying): Promise<FilePlace[]> {
  return filesAt(folder, { ...asking, recursive: true, filesMost }).then((files) => [...files]);
}

/** Undefined when the conditions are none that the platform can search by, or it has no search. */
async function searched(
  folder: FolderPlace,
  terms: readonly Term[],
  { api, signal }: Querying,
): Promise<FilePlace[] | undefined> {
  const queries = queriesOf(terms);
  if (queries.length === 0) return undefined;
  const files = new Map<string, FilePlace['file']>();
  try {
    for (const equals of queries) {
      let continuation: string | undefined;
      do {
        const page = await api.files.search(
          { project: folder.project, equals, continuation },
          { signal, priority: PRIORITY },
        );
        for (const file of page.files) files.set(file.id, file);
        continuation = page.continuation;
      } while (continuation !== undefined);
    }
  } catch (error) {
    if (isNoSearch(error)) return undefined;
    throw error;
  }
  const folders = new FolderPaths(folder, { api, signal });
  await folders.learn([...files.values()].map(({ parent }) => parent));
  return [...files.values()].flatMap((file): readonly FilePlace[] => {
    const names = folders.namesOf(file.parent);
    return names ? [{ kind: 'file', project: folder.project, names: [...names, file.name], file }] : [];
  });
}

type Equals = FileSearch['equals'];

/** The platform takes each field once, and joins by AND. Of alternatives each is a search, if nothing else is to be searched by. */
function queriesOf(terms: readonly Term[]): readonly Equals[] {
  const equalities = terms.flatMap((term) => {
    const field = fieldOf(term);
    return 'values' in term && term.test === '=' && field ? [{ field, values: term.values.map(decode) }] : [];
  });
  const single = new Map<string, string>();
  for (const { field, values } of equalities)
    if (values.length === 1 && !single.has(field)) single.set(field, values[0] ?? '');
  if (single.size > 0) return [[...single].map(([field, value]) => ({ field, value }))];
  const [first] = equalities;
  return first === undefined ? [] : first.values.map((value) => [{ field: first.field, value }]);
}

/** By the words that the language of searches takes. */
function fieldOf({ subject }: Term): string | undefined {
  if (subject.kind === 'key') return /^[\w.-]+$/.test(subject.key) ? `metadata.${subject.key}` : undefined;
  switch (subject.field) {
    case 'name':
    case 'tag':
      return subject.field;
    case 'task':
      return 'origin.task';
    default:
      return undefined;
  }
}

/** Another platform may lack the call, or have another language. */
function isNoSearch(error: unknown): boolean {
  return error instanceof Error && 'status' in error && [400, 404, 405, 501].includes(Number(error.status));
}

function compareNames(some: readonly string[], others: readonly string[]): number {
  return Buffer.compare(Buffer.from(some.join('/')), Buffer.from(others.join('/')));
}
