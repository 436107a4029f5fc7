import { createHash } from 'node:crypto';

/** A key that secrets are encrypted with (AES-256). */
export interface SecretKey {
  /** Says which key a secret was encrypted with, and nothing about the key: 8 hexadecimal digits. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Where the keys come from. The first one encrypts; the others, which came before it, only decrypt. */
export interface SecretKeys {
  /** Read anew each time: a key that was added while the service runs counts at once. @throws SecretKeyError */
  read(): Promise<readonly [SecretKey, ...SecretKey[]]>;
}

/** The keys are missing or no good; the message says what to do, and holds no key. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
}

const KEY_BYTES = 32;

/**
 * Keys as text: 64 hexadecimal digits each, one after the other.
 *
 * @param source Named in the message when they are no good.
 * @throws SecretKeyError
 */
export function parseSecretKeys(text: string, source: string): [SecretKey, ...SecretKey[]] {
  const [first, ...others] = text.split(/[\s,]+/).filter((word) => word !== '');
  if (first === undefined) throw new SecretKeyError(`${source} holds no key; openssl rand -hex 32 makes one`);
  return [keyOf(first, source), ...others.map((word) => keyOf(word, source))];
}

/** Keys that are given once, by the environment. @throws SecretKeyError */
export function givenSecretKeys(text: string, source: string): SecretKeys {
  const keys = parseSecretKeys(text, source);
  return { read: () => Promise.resolve(keys) };
}

function keyOf(word: string, source: string): SecretKey {
  if (!/^[0-9a-fA-F]{64}$/.test(word)) {
    throw new SecretKeyError(
      `${source} holds something that is no key of ${KEY_BYTES} bytes in hexadecimal; openssl rand -hex ${KEY_BYTES} makes one`,
    );
  }
  const bytes = Buffer.from(word, 'hex');
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

/** Keys themselves, and where they were found; or the file that holds them. */
export type SecretKeysGiven = { readonly text: string; readonly source: string } | { readonly file: string };
