import { randomBytes } from 'node:crypto';

/** Ids of files, jobs and blobs: 24 hexadecimal digits. */
export function randomId(): string {
  return randomBytes(12).toString('hex');
}

/** Whether a text from outside looks like one of ours: only then does it become part of a path. */
export function isRandomId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
