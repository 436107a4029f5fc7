import { randomBytes } from 'node:crypto';

/** Ids of files, jobs and blobs: 24 hexadecimal digits. */
export function randomId(): string {
  return randomBytes(12).toString('hex');
}
