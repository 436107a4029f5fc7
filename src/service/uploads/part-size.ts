import { PART_COUNT_MAX, PART_SIZE_DEFAULT, PART_SIZE_MAX, PART_SIZE_MIN } from '../../contract/limits.ts';

const MIB = 1024 * 1024;

/**
 * The part size of an upload: what was asked for when it is in range, else the default; in both cases enough for the
 * announced size to fit into the greatest number of parts.
 */
export function choosePartSize(asked: number | null | undefined, size: number | null | undefined): number {
  const suitable = typeof asked === 'number' && asked >= PART_SIZE_MIN && asked <= PART_SIZE_MAX;
  const partSize = suitable ? asked : PART_SIZE_DEFAULT;
  const needed = Math.ceil((size ?? 0) / PART_COUNT_MAX);
  return partSize >= needed ? partSize : Math.ceil(needed / MIB) * MIB;
}
