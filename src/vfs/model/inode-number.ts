import { textHash } from '../../lib/text-hash.ts';

const halves = new Uint32Array(2);
const whole = new BigUint64Array(halves.buffer);

/**
 * st_ino: 64 bits of a hash of the first id a node is known by. 0 means "deleted" to some programs, 1 is the root's.
 * The first listing of a folder asks for thousands, and a call of node:crypto for each would be a tenth of its time.
 */
export function inodeNumber(id: string): bigint {
  halves[0] = textHash(id, 0);
  halves[1] = textHash(id, 1);
  const ino = whole[0] ?? 0n;
  return ino > 1n ? ino : ino + 2n;
}
