/**
 * Listings under way, one per directory however many programs read it, and answers from known facts while they count.
 *
 * A listing takes in names as its pages come, so that lookups of the first names need not wait for the last page. At its
 * end it tells which known names are gone. It stops when no reader is left, unless the directory is small. A listing that
 * was begun ahead, or for a caller in no hurry, becomes interactive when another caller joins it.
 */
import type { Priority } from '../../api/call-options.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Deferred } from '../../lib/deferred.ts';
import { deferred } from '../../lib/deferred.ts';
import { NEVER_ABORTED, sharedAbortController } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { RemoteDirectory } from '../directories/remote-directory.ts';
import { endsWithTime } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Beliefs } from '../model/beliefs.ts';
import { isKept } from '../model/identity.ts';
import type { DirectoryNode, Node } from '../model/node.ts';
import { isComplete, wasComplete } from './freshness.ts';
import type { GoneDirectories } from './gone-directories.ts';
import { Listing } from './listing.ts';
import { SMALL_FOLDER } from './lookup-plan.ts';
import type { Placement } from './placement.ts';

interface Parts {
  readonly directories: RemoteDirectory<DirectoryNode>;
  readonly placement: Placement;
  readonly gone: GoneDirectories;
  readonly beliefs: Beliefs;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** Called when a whole directory has been taken in. */
  readonly onComplete: (directory: DirectoryNode) => void;
  /** Called now and then while names come: there may be too many by now. */
  readonly onGrowth?: () => void;
  /** Entries of one directory that are listed, at about a kilobyte each. */
  readonly mostEntries?: number;
  /** Called when entries were left out that cannot be shown, once for each directory. */
  readonly onUnusable: (directory: DirectoryNode, reason: string) => void;
}

/** With the base of a mount, and what of others is kept beside, below 400 MiB. */
const MOST_ENTRIES = 200_000;
/** The platform's facts count as fresh that long. */
const FRESH_MS = 1000;
/** Pages between two looks at how much there is. */
const PAGES_A_LOOK = 50;

interface UnderWay {
  readonly listing: Listing;
  readonly stop: AbortController;
  /** Settles once the first page is taken in and it is known whether the directory is small. */
  readonly begun: Deferred<void>;
  /** Small enough to be finished for lookups alone; undefined before that is known. */
  small: boolean | undefined;
  readonly priority: Priority;
  /** Aborted when somebody joins it: what it asks for, or waits to ask for, is interactive from then on. */
  readonly urgent: AbortController;
}

export class Listings {
  readonly #parts: Parts;
  readonly #underWay = new Map<DirectoryNode, UnderWay>();
  readonly #totals = new WeakMap<DirectoryNode, number>();
  readonly #toldUnusable = new WeakSet<DirectoryNode>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** For a program that reads them: as `#open`, and names that have expired while the rate limit is spent. */
  open(directory: DirectoryNode): Listing {
    const isKnown = wasComplete(directory) && !this.#isComplete(directory) && this.#parts.beliefs.believes();
    return isKnown ? Listing.of(directory).hold() : this.#open(directory);
  }

  /** The names of a directory, known or being asked for, held for the caller. */
  #open(directory: DirectoryNode, priority?: Priority): Listing {
    if (this.#isComplete(directory)) return Listing.of(directory).hold();
    return this.#join(directory, priority).listing.hold();
  }

  #isComplete(directory: DirectoryNode): boolean {
    const { clock, ttlMs } = this.#parts;
    return isComplete(directory, { nowMs: clock.elapsed(), ttlMs });
  }

  /**
   * Asks for all names anew, however fresh those known are, for a caller that does not wait: on until the end. Never
   * rejects. Lookups do not wait either when the directory is known to be large.
   */
  async ahead(directory: DirectoryNode, priority: Priority): Promise<void> {
    const small = (this.totalOf(directory) ?? 0) > SMALL_FOLDER ? false : undefined;
    const { listing } = this.#underWay.get(directory) ?? this.#begin(directory, { priority, small });
    listing.hold();
    await listing.all(NEVER_ABORTED).catch(() => undefined);
    listing.letGo();
  }

  isUnderWay(directory: DirectoryNode): boolean {
    return this.#underWay.has(directory);
  }

  /** Entries in the directory, as the platform told with the first page of those that have more than one. */
  totalOf(directory: DirectoryNode): number | undefined {
    return this.#totals.get(directory);
  }

  /** It stopped after its first page, and that is no fresh fact any more. */
  isOld({ pausedMs }: Listing): boolean {
    return pausedMs !== undefined && this.#parts.clock.elapsed() - pausedMs > FRESH_MS;
  }

  /**
   * Asks for the names of a directory and waits for the first page, which tells that it is still there. The listing is held for
   * the caller.
   */
  confirm(directory: DirectoryNode, signal: AbortSignal): Promise<Listing> {
    return this.#again(directory, signal, () => this.#confirm(directory, signal));
  }

  /**
   * The pages of a listing that was under way before may fail within the time of the caller that began it: they are
   * asked for anew then.
   */
  async #again<T>(directory: DirectoryNode, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    const isJoined = this.#underWay.has(directory);
    try {
      return await ask();
    } catch (error) {
      if (!isJoined || signal.aborted || !endsWithTime(error)) throw error;
      return ask();
    }
  }

  async #confirm(directory: DirectoryNode, signal: AbortSignal): Promise<Listing> {
    const { listing, begun } = this.#join(directory);
    listing.hold();
    try {
      await untilAborted(begun.promise, signal);
      // Throws what the platform says of a directory that is not there.
      listing.has(0);
      return listing;
    } catch (error) {
      listing.letGo();
      throw error;
    }
  }

  /** Has the first page taken in, and all others when they are few. Waits for nothing else of a large one under way. */
  async peek(directory: DirectoryNode, signal: AbortSignal): Promise<void> {
    if (this.#underWay.get(directory)?.small === false) return;
    const underWay = this.#join(directory);
    await untilAborted(underWay.begun.promise, signal);
    if (underWay.small !== false) await underWay.listing.all(signal);
  }

  /** All there is in a directory. */
  all(directory: DirectoryNode, signal: AbortSignal, priority?: Priority): Promise<readonly Node[]> {
    return this.#again(directory, signal, () => this.#all(directory, signal, priority));
  }

  async #all(
    directory: DirectoryNode,
    signal: AbortSignal,
    priority: Priority | undefined,
  ): Promise<readonly Node[]> {
    const listing = this.#open(directory, priority);
    try {
      await listing.all(signal);
      return [...directory.children.nodes()];
    } finally {
      listing.letGo();
    }
  }

  #join(directory: DirectoryNode, priority: Priority = 'interactive'): UnderWay {
    const there = this.#underWay.get(directory);
    const isOld = there !== undefined && !there.listing.isDemanded && this.isOld(there.listing);
    const underWay = there && !isOld ? there : this.#begin(directory, { priority, small: undefined });
    if (priority === 'interactive') underWay.urgent.abort();
    return underWay;
  }

  #begin(directory: DirectoryNode, expected: Pick<UnderWay, 'priority' | 'small'>): UnderWay {
    const stop = sharedAbortController();
    const underWay: UnderWay = {
      listing: new Listing(directory.children, () => this.#abandon(directory, underWay)),
      stop,
      urgent: sharedAbortController(),
      begun: deferred(),
      ...expected,
    };
    this.#underWay.set(directory, underWay);
    void this.#run(directory, underWay);
    return underWay;
  }

  #abandon(directory: DirectoryNode, underWay: UnderWay): void {
    if (underWay.small !== false) return;
    this.#end(directory, underWay);
    underWay.stop.abort();
  }

  #end(directory: DirectoryNode, underWay: UnderWay): void {
    if (this.#underWay.get(directory) === underWay) this.#underWay.delete(directory);
  }

  async #run(directory: DirectoryNode, underWay: UnderWay): Promise<void> {
    const failure = this.#parts.gone.asking(directory);
    try {
      await this.#takeIn(directory, underWay);
    } catch (error) {
      // A listing that nobody waits for takes nothing from the tree: the next caller finds the directory gone, and is
      // told.
      const isAwaited = underWay.priority === 'interactive' || underWay.urgent.signal.aborted;
      underWay.listing.fail(isAwaited ? await failure(error) : error);
    } finally {
      this.#end(directory, underWay);
      underWay.begun.resolve();
    }
  }

  async #takeIn(directory: DirectoryNode, underWay: UnderWay): Promise<void> {
    const { directories, placement, clock, onGrowth, mostEntries = MOST_ENTRIES } = this.#parts;
    const { listing, stop, priority } = underWay;
    const { children } = directory;
    const asked = { generation: children.generation, nowMs: clock.elapsed() };
    const { removals } = children;
    let wanted = true;
    const goOn = async (total: number | undefined): Promise<boolean> => {
      if (total !== undefined) this.#totals.set(directory, total);
      underWay.small = total !== undefined && total <= SMALL_FOLDER;
      underWay.begun.resolve();
      if (!underWay.small && listing.held) await this.#demanded(underWay);
      wanted = underWay.small || listing.held;
      if (!wanted) this.#end(directory, underWay);
      return wanted;
    };

    const given = new Set<Node>();
    let names = new Set<string>();
    let pass = 0;
    let unchanged = false;
    let learntMs: number | undefined;
    let pages = 0;
    /** Entries of this pass, whatever they are called: a listing may give the same ones without end. */
    let taken = 0;
    let hasUnusable = false;
    const onUnusable = (reason: string): void => {
      hasUnusable = true;
      this.#tellUnusable(directory, reason);
    };
    const options = { goOn, priority, urgent: underWay.urgent.signal, onUnusable, signal: stop.signal };
    for await (const page of directories.pages(directory, options)) {
      if (page.pass !== pass) {
        names = new Set();
        taken = 0;
      }
      ({ pass, unchanged, learntMs } = page);
      pages += 1;
      taken += page.items.length;
      if (taken > mostEntries) throw tooMany(directory, mostEntries);
      if (pages % PAGES_A_LOOK === 0) onGrowth?.();
      const nodes: Node[] = [];
      for (const listed of page.items) {
        names.add(listed.name);
        const node = placement.learn(directory, listed, asked.generation);
        if (node && learntMs !== undefined) node.checkedMs = learntMs;
        if (node && !given.has(node)) nodes.push(node);
        if (node) given.add(node);
      }
      listing.append(nodes);
    }
    if (wanted) {
      // Another client may have changed an entry while the pages came: facts are as old as the first page.
      const nowMs = learntMs ?? (unchanged ? clock.elapsed() : asked.nowMs);
      const known = { ...asked, nowMs };
      // A name that was left out may be any of those known.
      const gone = hasUnusable ? [] : children.learnAll(names, known, isKept);
      for (const node of gone) placement.lose(node);
      if (gone.length > 0) placement.changedElsewhere(directory);
      const unlisted = [...children.nodes()].filter((node) => !given.has(node));
      listing.append(unlisted);
    }
    listing.end(wanted && children.removals === removals ? children.version : undefined);
    if (wanted) this.#parts.onComplete(directory);
  }

  /** A program may open a large directory and not read it, as who syncs it does. */
  async #demanded({ listing, stop }: UnderWay): Promise<void> {
    if (listing.isDemanded) return;
    listing.pausedMs = this.#parts.clock.elapsed();
    await untilAborted(listing.demanded, stop.signal).catch(() => undefined);
  }

  #tellUnusable(directory: DirectoryNode, reason: string): void {
    if (this.#toldUnusable.has(directory)) return;
    this.#toldUnusable.add(directory);
    this.#parts.onUnusable(directory, reason);
  }
}

function tooMany({ name }: DirectoryNode, most: number): FsError {
  return new FsError(
    'EFBIG',
    `${name} has more than ${most.toLocaleString('en')} entries: no more are listed. Each can still be named; folders of fewer can be listed`,
  );
}
