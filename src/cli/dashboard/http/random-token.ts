import { randomBytes } from 'node:crypto';

/** 128 bits, as a part of a path. */
export function randomToken(): string {
  return randomBytes(16).toString('base64url');
}
