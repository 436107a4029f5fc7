import type { Api } from '../../../api/api.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import { LARGEST_PART_BYTES } from './part-plan.ts';

interface Room {
  readonly memory: Pick<MemoryPool, 'limitBytes'>;
  /** Undefined: as large as the disk. */
  readonly spoolSizeBytes: number | undefined;
}

/** In memory, of parts on their way and parts that wait to be checked. */
const PARTS_IN_MEMORY = 16;

/** The part size when requests are short: as large as there is room for, and no more than four times as large. */
export function largerPartSize(partSizeBytes: number, { memory, spoolSizeBytes }: Room): number {
  if (spoolSizeBytes !== undefined) return partSizeBytes;
  const larger = [4, 2].map((times) => times * partSizeBytes);
  const mayBe = (size: number): boolean =>
    size <= LARGEST_PART_BYTES && size * PARTS_IN_MEMORY <= memory.limitBytes;
  return larger.find(mayBe) ?? partSizeBytes;
}

interface PartSizes {
  readonly api: Pick<Api, 'hasRoom'>;
  readonly partSizeBytes: number;
  readonly largerPartSizeBytes: number;
}

/** For an upload that begins now. Each part is a request, so that larger ones bring more through the rate limit (design, 6). */
export function preferredPartSize({ api, partSizeBytes, largerPartSizeBytes }: PartSizes): number {
  return api.hasRoom('background') ? partSizeBytes : largerPartSizeBytes;
}
