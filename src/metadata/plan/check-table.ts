/** The limits of the platform (service-api, "Limits"), checked before anything is asked or sent. */
import {
  METADATA_KEY_BYTES_MAX,
  METADATA_PAIRS_MAX,
  METADATA_VALUE_BYTES_MAX,
  TAG_BYTES_MAX,
  TAGS_MAX,
} from '../../contract/limits.ts';
import { isReservedKey } from '../own-pairs.ts';
import type { Table, TableRow } from '../table.ts';
import { type Problem, TableError } from '../table-error.ts';

/** @throws TableError */
export function checkTable({ keys, rows }: Table): void {
  const problems = [...keys.flatMap(problemOfKey), ...rows.flatMap(problemsOfRow)];
  if (problems.length > 0) throw new TableError(problems);
}

function problemOfKey(key: string): readonly Problem[] {
  const text = refusalOfKey(key);
  return text === undefined ? [] : [{ column: key, text }];
}

export function refusalOfKey(key: string): string | undefined {
  if (key === '') return 'a metadata key is not empty';
  if (isReservedKey(key)) return 'keys like this are kept by svcfs itself';
  return refusalOfText(key) ?? tooLong('a key', key, METADATA_KEY_BYTES_MAX);
}

function problemsOfRow({ number: row, tags = [], pairs }: TableRow): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [column, value] of pairs) {
    const text = value === null ? undefined : refusalOfValue(value);
    if (text !== undefined) problems.push({ row, column, text });
  }
  const text = refusalOfTags(tags);
  return text === undefined ? problems : [...problems, { row, column: 'svc.tags', text }];
}

function refusalOfValue(value: string): string | undefined {
  return refusalOfText(value) ?? tooLong('a value', value, METADATA_VALUE_BYTES_MAX);
}

function refusalOfTags(tags: readonly string[]): string | undefined {
  if (new Set(tags).size > TAGS_MAX) return `a file has at most ${TAGS_MAX} tags, these are ${tags.length}`;
  for (const tag of tags) {
    const text =
      tag === '' ? 'a tag is not empty' : (refusalOfText(tag) ?? tooLong('a tag', tag, TAG_BYTES_MAX));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Half of a surrogate pair, alone. */
const HALF_PAIR = /\p{Surrogate}/u;

/** Databases keep no NUL and no half of a surrogate pair. JSON can bring them in by `\u`. */
function refusalOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'there is a NUL, which the platform does not keep';
  return !HALF_PAIR.test(text) ? undefined : 'there is half a character, which the platform does not keep';
}

function tooLong(what: string, text: string, most: number): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > most ? `${what} has at most ${most} bytes, this one ${bytes}` : undefined;
}

/** Of all pairs that a file would have. */
export function refusalOfCount(count: number): string | undefined {
  return count > METADATA_PAIRS_MAX
    ? `a file has at most ${METADATA_PAIRS_MAX} metadata pairs, this would be number ${count}`
    : undefined;
}
