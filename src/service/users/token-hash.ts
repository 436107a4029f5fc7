import { createHash } from 'node:crypto';

/** The hash by which a token is stored. Tokens are long and random, so a plain hash cannot be reversed by guessing. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
