import { OBJECT_SIZE_MAX, PART_SIZE_MIN } from '../../contract/limits.ts';
import { ServiceError } from '../http/service-error.ts';

export interface KnownPart {
  readonly part_number: number;
  readonly size: number;
}

/**
 * Whether the parts, ordered by number, make a file. Sizes may differ: the public client sends one byte
 * more than the part size. An empty part is its last one.
 *
 * @param announced The size given at the start, if any. @throws ServiceError 8007
 */
export function checkWholeUpload(parts: readonly KnownPart[], announced: number | null): void {
  if (parts.length === 0)
    throw new ServiceError(8007, 'No part was reported; an empty file has one empty part.');
  const gap = parts.findIndex(({ part_number }, index) => part_number !== index + 1);
  if (gap >= 0) throw new ServiceError(8007, `Part ${gap + 1} is missing.`);
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  if (announced !== null && total !== announced) {
    throw new ServiceError(8007, `The parts hold ${total} bytes, announced were ${announced}.`);
  }
  if (total > OBJECT_SIZE_MAX) throw new ServiceError(8007, `A file has at most ${OBJECT_SIZE_MAX} bytes.`);
  const small = parts.slice(0, -1).find(({ size }) => size < PART_SIZE_MIN);
  if (small !== undefined) {
    throw new ServiceError(
      8007,
      `Part ${small.part_number} is under ${PART_SIZE_MIN} bytes and not the last.`,
    );
  }
}
