import type { FilePlace } from '../../places/places.ts';
import { describePath } from '../../places/platform-path.ts';
import type { Sheet } from '../format/sheet.ts';
import type { FoundRow } from './find-rows.ts';

export interface Join {
  /** A row for every file that has its sample. */
  readonly found: readonly FoundRow[];
  /** Samples without a file; `like`: those of files that are written almost like it. */
  readonly withoutFile: readonly { readonly sample: string; readonly like: readonly string[] }[];
  /** Paths of files of samples that have no row, and of files without a sample. */
  readonly withoutRow: readonly string[];
}

/** Joins a sheet with the files whose pair `key` is the sample of a row, byte for byte. */
export function joinSheet({ rows }: Sheet, key: string, files: readonly FilePlace[]): Join {
  const bySample = new Map(rows.map((row) => [row.sample, row]));
  const samples = new Set<string>();
  const found: FoundRow[] = [];
  const withoutRow: string[] = [];
  for (const place of files) {
    const path = describePath(place);
    const { file } = place;
    const sample = Object.hasOwn(file.metadata, key) ? file.metadata[key] : undefined;
    if (sample !== undefined) samples.add(sample);
    const row = bySample.get(sample ?? '');
    if (row === undefined) {
      withoutRow.push(path);
      continue;
    }
    const { number, pairs, blanks } = row;
    const facts = { id: file.id, path, base: undefined, tags: undefined };
    found.push({ row: { number, ...facts, pairs, blanks }, path, file });
  }
  const withoutFile = rows
    .filter(({ sample }) => !samples.has(sample))
    .map(({ sample }) => ({ sample, like: [...samples].filter((each) => isLike(each, sample)) }));
  return { found, withoutFile, withoutRow };
}

/** Alike but for separators and case: a hint for people, never a match. */
function isLike(one: string, other: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_. ]/g, '');
  return plain(one) === plain(other);
}
