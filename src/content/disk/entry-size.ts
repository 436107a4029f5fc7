import { DISK_BLOCK_BYTES, HEADER_BYTES } from './block-io.ts';

/** The unit by which most file systems allocate. */
const PAGE_BYTES = 4096;
/** Of the index, for each block. */
const WORD_BYTES = 8;

/** About what an entry takes of the disk when all of a version is there. */
export function entryBytes(sizeBytes: number): number {
  if (sizeBytes === 0) return 0;
  const blocks = Math.ceil(sizeBytes / DISK_BLOCK_BYTES);
  return wholePages(sizeBytes) + wholePages(indexBytes(blocks));
}

/** How large an index is that tells of so many blocks. */
export function indexBytes(blocks: number): number {
  return HEADER_BYTES + blocks * WORD_BYTES;
}

function wholePages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}
