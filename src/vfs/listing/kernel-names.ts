/**
 * Which listings the names are from that the kernel keeps of each directory (FOPEN_CACHE_DIR; fs/fuse/readdir.c).
 *
 * The kernel adds the answers of READDIR in the order in which readers take their replies. A reply may be taken late: it
 * was answered before a file was removed, and another reader has begun anew since. The kernel then keeps it as a part of
 * the newer listing.
 *
 * So names of two listings may be mixed as soon as two were read. Only names of a single listing may be given to the next
 * reader. The kernel drops its names at the next open that does not tell it to keep them. Replies to handles that are
 * open then may still add names.
 */
import { LRUCache } from 'lru-cache';
import type { DirectoryNode } from '../model/node.ts';
import type { Listing } from './listing.ts';

export class KernelNames {
  /** In the order in which they were first read; nothing is known of a directory that is not here. */
  readonly #sources: LRUCache<DirectoryNode, readonly Listing[]>;

  /** @param mostNames Of all listings together. */
  constructor(mostNames: number) {
    this.#sources = new LRUCache({ maxSize: mostNames, sizeCalculation: weightOf });
  }

  /** The listing that everything kept of the directory is from. */
  only(directory: DirectoryNode): Listing | undefined {
    const sources = this.#sources.get(directory);
    return sources?.length === 1 ? sources[0] : undefined;
  }

  /** The listing that was read last. */
  last(directory: DirectoryNode): Listing | undefined {
    return this.#sources.get(directory)?.at(-1);
  }

  /** An open that tells to keep nothing; `stillRead` are the listings of the handles that are open. */
  dropped(directory: DirectoryNode, stillRead: Iterable<Listing>): void {
    this.#sources.set(directory, [...new Set(stillRead)]);
  }

  /** A reply from `listing` is on its way. */
  given(directory: DirectoryNode, listing: Listing): void {
    const sources = this.#sources.get(directory);
    if (sources && !sources.includes(listing)) this.#sources.set(directory, [...sources, listing]);
  }

  /** A listing that has been given may have more names by now. */
  weigh(directory: DirectoryNode): void {
    const sources = this.#sources.get(directory);
    if (sources) this.#sources.set(directory, [...sources]);
  }
}

function weightOf(listings: readonly Listing[]): number {
  return listings.reduce((names, { length }) => names + length, 1);
}
