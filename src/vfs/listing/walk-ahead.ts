/**
 * `find`, `du`, `rsync` and their like open one folder after the other, and each costs a round trip. A program walks when
 * it opens folders inside folders opened just before, twice within two seconds. The folders that it comes to next are
 * then listed ahead of it, while the rate budget has room for that.
 *
 * The next folders are those inside the one opened last, then those beside it that were not listed yet, and so on
 * up to where the walk began: the order of a depth-first walk. A walk that ends early leaves at most `MOST_AHEAD` folders listed for nobody.
 */
import type { Api } from '../../api/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { isHidden } from '../model/hidden.ts';
import type { DirectoryNode } from '../model/node.ts';
import { isDirectory } from '../model/node.ts';
import type { Listings } from './listings.ts';

/** Folders listed and not opened yet. */
const MOST_AHEAD = 16;
/** Of these, listings under way. */
const MOST_UNDER_WAY = 4;
/** A step into a folder counts as part of a walk when its parent was opened at most this long ago. */
const WALK_MS = 10_000;
/** Two steps within this time are a program's, not a person's. */
const STEPS_MS = 2_000;

interface Parts {
  readonly api: Pick<Api, 'hasRoom'>;
  readonly listings: Pick<Listings, 'ahead' | 'isUnderWay'>;
  readonly clock: Clock;
  /** Whether all names of a directory are known and count. */
  readonly isComplete: (directory: DirectoryNode) => boolean;
}

export class WalkAhead {
  readonly #parts: Parts;
  readonly #openedMs = new WeakMap<DirectoryNode, number>();
  /** Where in each directory the walk is: folders before it were opened or listed ahead. */
  readonly #places = new WeakMap<DirectoryNode, Iterator<DirectoryNode>>();
  readonly #ahead = new Set<DirectoryNode>();
  #underWay = 0;
  #lastStepMs = Number.NEGATIVE_INFINITY;
  /** Where the walker is; undefined: nobody walks. */
  #at: DirectoryNode | undefined;
  /** Where the walk began: what is beside it is not walked. */
  #top: DirectoryNode | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A program begins to read `directory`. */
  opened(directory: DirectoryNode): void {
    const nowMs = this.#parts.clock.monotonic();
    this.#openedMs.set(directory, nowMs);
    this.#places.delete(directory);
    this.#ahead.delete(directory);
    if (!this.#isStep(directory, nowMs)) return;
    const isWalk = nowMs - this.#lastStepMs <= STEPS_MS;
    this.#lastStepMs = nowMs;
    if (!isWalk) this.#ahead.clear();
    if (!isWalk || !isBelow(directory, this.#top)) this.#top = directory.parent;
    this.#at = isWalk ? directory : undefined;
    this.#listNext();
  }

  /** All names of `directory` are known now: where the walker is, there may be folders to go on with. */
  completed(directory: DirectoryNode): void {
    if (directory === this.#at) this.#listNext();
  }

  #isStep({ kind, parent }: DirectoryNode, nowMs: number): boolean {
    if (kind === 'virtual-directory' || parent === undefined) return false;
    return nowMs - (this.#openedMs.get(parent) ?? Number.NEGATIVE_INFINITY) <= WALK_MS;
  }

  #listNext(): void {
    const { api, clock } = this.#parts;
    if (clock.monotonic() - this.#lastStepMs > STEPS_MS) return;
    while (this.#underWay < MOST_UNDER_WAY && this.#ahead.size < MOST_AHEAD && api.hasRoom('prefetch')) {
      const next = this.#next();
      if (next === undefined) return;
      void this.#list(next);
    }
  }

  async #list(directory: DirectoryNode): Promise<void> {
    this.#ahead.add(directory);
    this.#underWay++;
    await this.#parts.listings.ahead(directory, 'prefetch');
    this.#underWay--;
    this.#listNext();
  }

  /** The next folder the walker will come to that nobody has asked for yet. */
  #next(): DirectoryNode | undefined {
    const { isComplete, listings } = this.#parts;
    for (const at of upwards(this.#at, this.#top)) {
      if (!isComplete(at)) continue;
      const place = this.#placeIn(at);
      for (let next = place.next(); next.done !== true; next = place.next()) {
        const folder = next.value;
        if (folder.parent === at && !isComplete(folder) && !listings.isUnderWay(folder)) return folder;
      }
    }
    return undefined;
  }

  #placeIn(directory: DirectoryNode): Iterator<DirectoryNode> {
    const place = this.#places.get(directory) ?? foldersOf(directory);
    this.#places.set(directory, place);
    return place;
  }
}

function* upwards(from: DirectoryNode | undefined, top: DirectoryNode | undefined): Generator<DirectoryNode> {
  for (let at = from; at && at.kind !== 'virtual-directory'; at = at.parent) {
    yield at;
    if (at === top) return;
  }
}

function isBelow({ parent }: DirectoryNode, top: DirectoryNode | undefined): boolean {
  return top !== undefined && [...upwards(parent, top)].includes(top);
}

function* foldersOf(directory: DirectoryNode): Generator<DirectoryNode> {
  for (const node of directory.children.nodes()) if (isDirectory(node) && !isHidden(node)) yield node;
}
