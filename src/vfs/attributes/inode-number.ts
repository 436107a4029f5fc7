import { createHash } from 'node:crypto';

/** st_ino: 64 bits of a hash of the first id a node is known by. 0 means "deleted" to some programs, 1 is the root's. */
export function inodeNumber(id: string): bigint {
  const number = createHash('sha256').update(id).digest().readBigUInt64LE(0);
  return number > 1n ? number : number + 2n;
}
