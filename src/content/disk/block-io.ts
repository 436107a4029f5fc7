import { optionalAddon } from '../../lib/optional-addon.ts';

/** native/src/blocks/calls.cc: blocks and their checksums, read and written on a thread of libuv's pool. */
export interface BlockIo {
  /**
   * Fills `into` with the blocks from `firstBlock` on that are there and as they were written, and tells of each in
   * `states`; what it tells to be absent or damaged has any bytes. Only the last block of a file may be short. Neither
   * buffer may be touched before the promise settles. Rejects with a system error.
   */
  read(
    data: number,
    index: number,
    firstBlock: number,
    into: Uint8Array,
    states: Uint8Array,
  ): Promise<BlockAnswer>;
  write(data: number, index: number, firstBlock: number, from: Uint8Array): Promise<BlockAnswer>;
  /** How many of the first `blocks` blocks are there, whether damaged or not. */
  count(index: number, blocks: number): Promise<number>;
}

/** The entry has no name any more: someone evicted it, and what is written to it is lost. */
export const EVICTED = 1;
export type BlockAnswer = 0 | typeof EVICTED;

export const BLOCK_STATE = { absent: 0, present: 1, damaged: 2 } as const;

/** As native/src/blocks/blocks.h has them. */
export const DISK_BLOCK_BYTES = 16 * 1024;
export const HEADER_BYTES = 4096;

/** Undefined where it is not built. */
export function loadBlockIo(): BlockIo | undefined {
  return optionalAddon<BlockIo>('blocks');
}
