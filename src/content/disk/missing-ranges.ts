import type { ByteRange } from '../byte-range.ts';
import { BLOCK_STATE, DISK_BLOCK_BYTES } from './block-io.ts';

/** Bytes that are rather fetched again than left out between two ranges: about what a request costs. */
const WORTH_A_REQUEST_BYTES = 256 * 1024;

/** The ranges to fetch of a span whose blocks are in these states: few ranges, relative to its start. */
export function missingRanges(states: Uint8Array, lengthBytes: number): readonly ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let block = 0; block < states.length; block += 1) {
    if (states[block] === BLOCK_STATE.present) continue;
    const start = block * DISK_BLOCK_BYTES;
    const end = Math.min(start + DISK_BLOCK_BYTES, lengthBytes);
    const last = ranges.at(-1);
    if (last !== undefined && start - last.end <= WORTH_A_REQUEST_BYTES) {
      ranges[ranges.length - 1] = { start: last.start, end };
    } else {
      ranges.push({ start, end });
    }
  }
  return ranges;
}
