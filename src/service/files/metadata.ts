import type { FileMetadata, MetadataBody } from '../../contract/file.ts';
import {
  METADATA_KEY_BYTES_MAX,
  METADATA_PAIRS_MAX,
  METADATA_VALUE_BYTES_MAX,
} from '../../contract/limits.ts';
import { ServiceError } from '../http/service-error.ts';
import { isStorableText } from '../store/storable-text.ts';

/** The pairs to keep: null values are ignored. Lengths are bytes of UTF-8. @throws ServiceError 5006 */
export function checkMetadata(body: MetadataBody): FileMetadata {
  const pairs: [string, string][] = [];
  for (const [key, value] of Object.entries(body)) {
    if (value === null) continue;
    if (typeof value !== 'string')
      throw new ServiceError(5006, `The value of ${quoted(key)} is not a string.`);
    checkPair(key, value);
    pairs.push([key, value]);
  }
  checkCount(pairs.length);
  return Object.fromEntries(pairs);
}

/** Whether the changes still fit beside the pairs there are. @throws ServiceError 5006 */
export function checkMerged(present: FileMetadata, changes: FileMetadata): void {
  checkCount(new Set([...Object.keys(present), ...Object.keys(changes)]).size);
}

function checkPair(key: string, value: string): void {
  if (key === '') throw new ServiceError(5006, 'A metadata key is empty.');
  if (!isStorableText(key) || !isStorableText(value)) {
    throw new ServiceError(5006, `The pair ${quoted(key)} is not valid Unicode text.`);
  }
  if (Buffer.byteLength(key) > METADATA_KEY_BYTES_MAX) {
    throw new ServiceError(5006, `The key ${quoted(key)} is over ${METADATA_KEY_BYTES_MAX} bytes.`);
  }
  if (Buffer.byteLength(value) > METADATA_VALUE_BYTES_MAX) {
    throw new ServiceError(5006, `The value of ${quoted(key)} is over ${METADATA_VALUE_BYTES_MAX} bytes.`);
  }
}

function checkCount(count: number): void {
  if (count > METADATA_PAIRS_MAX) {
    throw new ServiceError(5006, `A file has at most ${METADATA_PAIRS_MAX} metadata pairs, not ${count}.`);
  }
}

/** Enough of a key to know it by. */
function quoted(key: string): string {
  return JSON.stringify(key.length > 120 ? `${key.slice(0, 120)}…` : key);
}
