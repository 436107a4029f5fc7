/**
 * Open directories. A handle reads one listing from its start to its end. Cookies are indices into that (0 and 1 are `.`
 * and `..`), so they stay good while the directory changes. Entries that have gone from it meanwhile are left out. After
 * rewinddir(3) the handle begins with the names known then.
 *
 * The kernel keeps the names it was given, and may give them to the next reader while they are complete. That handle is
 * then bound to the listing they came from: the cookies mean the same should the kernel ask us for the rest.
 */
import { fileTypeOf } from '../attributes/attributes-of.ts';
import type { DirSink, FileHandle } from '../file-system.ts';
import { HandleTable } from '../model/handle-table.ts';
import { isHidden } from '../model/hidden.ts';
import { lacksSize } from '../model/identity.ts';
import type { DirectoryNode } from '../model/node.ts';
import { KernelNames } from './kernel-names.ts';
import type { Listing, ListingEntry } from './listing.ts';
import type { PlatformTree } from './platform-tree.ts';

interface OpenDirectory {
  readonly directory: DirectoryNode;
  listing: Listing | undefined;
  /** Begun when it was opened, and held until it is read or closed. */
  begun: Listing | undefined;
}

const DOTS = ['.', '..'] as const;
/** Names of listings that the kernel may still hold. */
const MOST_NAMES = 100_000;

export class OpenDirectories {
  readonly #tree: PlatformTree;
  readonly #handles = new HandleTable<OpenDirectory>();
  readonly #openOf = new Map<DirectoryNode, Set<OpenDirectory>>();
  readonly #kernelNames: KernelNames;

  constructor(tree: PlatformTree, mostNames = MOST_NAMES) {
    this.#tree = tree;
    this.#kernelNames = new KernelNames(mostNames);
  }

  directoryOf(handle: FileHandle): DirectoryNode {
    return this.#handles.get(handle).directory;
  }

  /** `begun`: its names as they are being asked for, held; the handle gives them. */
  open(directory: DirectoryNode, begun?: Listing): FileHandle {
    const others = this.#openOf.get(directory) ?? new Set();
    const listing = this.#currentNames(directory)?.hold();
    if (listing) this.#tree.opened(directory);
    else this.#kernelNames.dropped(directory, listingsOf(others));
    const open: OpenDirectory = { directory, listing, begun };
    this.#openOf.set(directory, others.add(open));
    return this.#handles.add(open);
  }

  /** Whether the names the kernel holds of the directory are those that this handle, just opened, would give. */
  givesTheSame(handle: FileHandle): boolean {
    return this.#handles.get(handle).listing !== undefined;
  }

  release(handle: FileHandle): void {
    const open = this.#handles.get(handle);
    const { directory, listing, begun } = open;
    this.#handles.delete(handle);
    const others = this.#openOf.get(directory);
    others?.delete(open);
    if (others?.size === 0) this.#openOf.delete(directory);
    listing?.letGo();
    begun?.letGo();
    this.#kernelNames.weigh(directory);
  }

  /** Gives what is there, and waits only while nothing is. */
  async read(
    handle: FileHandle,
    offset: number,
    to: { readonly sink: DirSink; readonly signal: AbortSignal },
  ): Promise<void> {
    const open = this.#handles.get(handle);
    const listing = this.#listingFor(open, offset);
    listing.demand();
    let placed = 0;
    for (let index = offset; ; index++) {
      if (index < DOTS.length) {
        if (!this.#placeDots(open.directory, index, to.sink)) return;
        continue;
      }
      const there =
        placed > 0
          ? hasNow(listing, index - DOTS.length)
          : await listing.wait(index - DOTS.length, to.signal);
      const entry = there === true ? listing.get(index - DOTS.length) : undefined;
      if (!entry) return;
      if (!isCurrent(entry, open.directory) || isHidden(entry.node)) continue;
      if (!this.#place(entry, index + 1, to.sink)) return;
      placed++;
    }
  }

  #listingFor(open: OpenDirectory, offset: number): Listing {
    const { directory } = open;
    if (open.listing && offset > 0) return open.listing;
    open.listing?.letGo();
    // In the middle and without a listing: so far the kernel gave what another handle had read.
    const known = offset > 0 ? this.#kernelNames.last(directory) : this.#currentNames(directory);
    open.listing = known?.hold() ?? this.#begunBy(open) ?? this.#tree.listings.open(directory);
    this.#kernelNames.given(directory, open.listing);
    if (offset === 0) this.#tree.opened(directory);
    return open.listing;
  }

  /** The listing begun at open serves the first reading; a rewinddir(3) gets the names that are known then. */
  #begunBy(open: OpenDirectory): Listing | undefined {
    const { begun } = open;
    open.begun = undefined;
    if (begun === undefined || !this.#tree.listings.isOld(begun)) return begun;
    begun.letGo();
    return undefined;
  }

  /** The listing that the kernel has its names from, if they are all there is. */
  #currentNames(directory: DirectoryNode): Listing | undefined {
    const listing = this.#kernelNames.only(directory);
    const isCurrent = listing?.version === directory.children.version && this.#tree.isComplete(directory);
    return isCurrent ? listing : undefined;
  }

  #placeDots(directory: DirectoryNode, index: number, sink: DirSink): boolean {
    const node = index === 0 || directory === this.#tree.top ? directory : (directory.parent ?? directory);
    return sink.add({
      name: DOTS[index] ?? '',
      ino: node.ino,
      type: fileTypeOf(node),
      nextOffset: index + 1,
    });
  }

  #place({ name, node }: ListingEntry, nextOffset: number, sink: DirSink): boolean {
    const entry = { name, ino: node.ino, type: fileTypeOf(node), nextOffset };
    // Without its size the kernel asks for an entry only if someone wants to know.
    if (!sink.addWithAttributes || lacksSize(node)) return sink.add(entry);
    if (!sink.addWithAttributes(entry, this.#tree.entryOf(node))) return false;
    node.lookups++;
    return true;
  }
}

function* listingsOf(handles: Iterable<OpenDirectory>): IterableIterator<Listing> {
  for (const { listing } of handles) if (listing) yield listing;
}

/** A failure is told when nothing else is: the entries before it are good. */
function hasNow(listing: Listing, index: number): boolean | undefined {
  try {
    return listing.has(index);
  } catch {
    return undefined;
  }
}

function isCurrent({ name, node }: ListingEntry, directory: DirectoryNode): boolean {
  return node.parent === directory && node.name === name;
}
