import { createHash } from 'node:crypto';
import { type Pairs, userPairs } from './own-pairs.ts';

/** The tags and metadata of a file. */
export interface Annotated {
  readonly tags: readonly string[];
  readonly metadata: Pairs;
}

const HASH_LENGTH = 12;

/**
 * A short hash of what people can change: the same as long as nobody changed tags or pairs. The letter before it keeps
 * spreadsheets from taking it for a number.
 */
export function rowHash({ tags, metadata }: Annotated): string {
  const pairs = Object.entries(userPairs(metadata)).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([[...tags].sort(), pairs]);
  return `h${createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)}`;
}
