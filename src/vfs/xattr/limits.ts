/**
 * The limits of the platform for metadata (service-api, "Limits") and tags. They are checked before anything is sent: a
 * refusal together with the content of a file would cost the content.
 */
import type { Annotations } from '../../content/ports.ts';
import {
  METADATA_KEY_BYTES_MAX,
  METADATA_PAIRS_MAX,
  METADATA_VALUE_BYTES_MAX,
  TAG_BYTES_MAX,
  TAGS_MAX,
} from '../../contract/limits.ts';
import { isReservedKey, userPairs } from '../../metadata/own-pairs.ts';
import { GIVING_WAY } from '../attributes/reserved-pairs.ts';
import { FsError } from '../errors/fs-error.ts';
import { isWellFormed } from '../model/escape.ts';

export type Pairs = Readonly<Record<string, string>>;

/** Text of an attribute's bytes; EILSEQ. */
export function decodeValue(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FsError('EILSEQ', 'the platform keeps text only: the value is not UTF-8');
  }
  requireText(text);
  return text;
}

/** EILSEQ: databases keep no NUL and no half of a surrogate pair, and the platform refuses both. JSON can bring them in by `\u`. */
function requireText(text: string): void {
  if (text.includes('\0')) throw new FsError('EILSEQ', 'the platform keeps text only: there is a NUL in it');
  if (!isWellFormed(text))
    throw new FsError('EILSEQ', 'the platform keeps text only: there is half a character in it');
}

export function requireKey(key: string): void {
  if (key === '') throw new FsError('EINVAL', 'a metadata key must not be empty');
  requireText(key);
  if (isReservedKey(key)) throw new FsError('EPERM', `keys like ${key} are kept by the file system itself`);
  const bytes = Buffer.byteLength(key);
  if (bytes > METADATA_KEY_BYTES_MAX)
    throw new FsError('ERANGE', `a key has at most ${METADATA_KEY_BYTES_MAX} bytes, this one ${bytes}`);
}

/**
 * Checks the annotations of a file whose content is about to be replaced: a later refusal would lose them with the old
 * file. Our own pairs always fit.
 */
export function requireAccepted({ metadata, tags }: Annotations): void {
  requireCount(metadata);
  for (const [key, value] of Object.entries(userPairs(metadata))) {
    requireKey(key);
    requireValue(key, value);
  }
  if (tags) requireTags(tags);
}

export function requireValue(key: string, value: string): void {
  requireText(value);
  const bytes = Buffer.byteLength(value);
  if (bytes > METADATA_VALUE_BYTES_MAX)
    throw new FsError(
      'E2BIG',
      `a value has at most ${METADATA_VALUE_BYTES_MAX} bytes, that of ${key} has ${bytes}`,
    );
}

/** Those of our own that give way do not count. */
export function requireCount(pairs: Pairs): void {
  const count = Object.keys(pairs).filter((key) => !GIVING_WAY.includes(key)).length;
  if (count > METADATA_PAIRS_MAX)
    throw new FsError(
      'ENOSPC',
      `a file has at most ${METADATA_PAIRS_MAX} metadata pairs, this would be number ${count}`,
    );
}

export function requireTags(tags: readonly string[]): void {
  const count = new Set(tags).size;
  if (count > TAGS_MAX)
    throw new FsError('ENOSPC', `a file has at most ${TAGS_MAX} tags, these are ${count}`);
  for (const tag of tags) {
    if (tag === '') throw new FsError('EINVAL', 'a tag must not be empty');
    requireText(tag);
    const bytes = Buffer.byteLength(tag);
    if (bytes > TAG_BYTES_MAX)
      throw new FsError('E2BIG', `a tag has at most ${TAG_BYTES_MAX} bytes, one of these ${bytes}`);
  }
}
