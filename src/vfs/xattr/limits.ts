/** What the platform takes as metadata (service-api, "Limits"), checked before anything is sent. */
import { isReservedKey } from '../attributes/reserved-pairs.ts';
import { FsError } from '../fs-error.ts';

const KEY_BYTES = 100;
const VALUE_BYTES = 300;
const PAIRS = 1000;

export type Pairs = Readonly<Record<string, string>>;

/** Text of an attribute's bytes; EILSEQ. */
export function decodeValue(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FsError('EILSEQ', 'the platform keeps text only: the value is not UTF-8');
  }
  requireNoNul(text);
  return text;
}

/** EILSEQ: databases keep no NUL in text, and the platform refuses it. JSON can bring one in as `\u0000`. */
export function requireNoNul(text: string): void {
  if (text.includes('\0')) throw new FsError('EILSEQ', 'the platform keeps text only: there is a NUL in it');
}

export function requireKey(key: string): void {
  if (key === '') throw new FsError('EINVAL', 'a metadata key must not be empty');
  requireNoNul(key);
  if (isReservedKey(key)) throw new FsError('EPERM', `keys like ${key} are kept by the file system itself`);
  const bytes = Buffer.byteLength(key);
  if (bytes > KEY_BYTES)
    throw new FsError('ERANGE', `a key has at most ${KEY_BYTES} bytes, this one ${bytes}`);
}

export function requireValue(key: string, value: string): void {
  requireNoNul(value);
  const bytes = Buffer.byteLength(value);
  if (bytes > VALUE_BYTES)
    throw new FsError('E2BIG', `a value has at most ${VALUE_BYTES} bytes, that of ${key} has ${bytes}`);
}

/** `pairs` include those of our own, which the platform counts too. */
export function requireCount(pairs: Pairs): void {
  const count = Object.keys(pairs).length;
  if (count > PAIRS)
    throw new FsError('ENOSPC', `a file has at most ${PAIRS} metadata pairs, this would be number ${count}`);
}
