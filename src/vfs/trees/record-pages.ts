import type { Api, CollectionKind, PlatformRecord } from '../../api/api.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { meaningOf, nameOnPlatform } from '../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticName, SyntheticPage } from '../model/synthetic.ts';

/** The records of a collection as entries of a directory, 100 a request. */
export interface RecordPages {
  readonly api: Pick<Api, 'records'>;
  readonly kind: CollectionKind;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Undefined: it is not shown. */
  readonly nameOf: (record: PlatformRecord) => SyntheticName | undefined;
}

export async function pageOf(
  { api, kind, query, nameOf }: RecordPages,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<SyntheticPage> {
  const offset = Number(cursor ?? 0);
  const { items, total } = await api.records.list(kind, query, { offset, limit: PAGE_LIMIT_MAX }, { signal });
  const names = items.flatMap((record) => nameOf(record) ?? []);
  const end = offset + items.length;
  return { names, ...(items.length > 0 && end < total && { next: String(end) }) };
}

/** As `lookup` of a directory wants it: by the name on the platform, or among all names for one that was cut. */
export async function findNamed(
  name: string,
  directory: Pick<SyntheticDirectory, 'list'>,
  find: (name: string) => Promise<SyntheticEntry | undefined>,
  signal: AbortSignal,
): Promise<SyntheticEntry | undefined> {
  const { kind } = meaningOf(name);
  // Shells and file managers look for `.git` and the like everywhere.
  if (name.startsWith('.') || kind === 'nothing' || kind === 'escaped-prefix') return undefined;
  return kind === 'digest'
    ? findAmongAll((each) => each === name, directory, signal)
    : find(nameOnPlatform(name));
}

/** Reads one page after the other until a name comes that is meant. */
export async function findAmongAll(
  isMeant: (name: string) => boolean,
  directory: Pick<SyntheticDirectory, 'list'>,
  signal: AbortSignal,
): Promise<SyntheticEntry | undefined> {
  let cursor: string | undefined;
  do {
    const page = await directory.list(cursor, signal);
    const found = page.names.find((each) => isMeant(each.name));
    if (found) return found.entry;
    cursor = page.next;
  } while (cursor !== undefined);
  return undefined;
}
