import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { packageVersion } from '../../package-version.ts';
import { type FoundKept, needsPerson } from '../../recover/kept-entries.ts';
import type { HistoryView, MountDetails, Overview } from '../page-model.ts';
import { keptView } from '../view/kept-view.ts';
import type { Mounts } from './mounts.ts';
import type { WarmUps } from './warm-ups.ts';
import { WatchedMount } from './watched-mount.ts';

/** A page that is open. */
export interface Viewer {
  /** Id of the mount that it shows; undefined, or of none: the first. */
  readonly mount: string | undefined;
  readonly onOverview: (overview: Overview) => void;
  readonly onMount: (details: MountDetails) => void;
  /** Of the same mount. */
  readonly onHistory: (history: HistoryView) => void;
}

const LOOK_EVERY_MS = 1000;
/** Mounts that answer do so by then; of the others the page learns what was known before. */
const SETTLE_MS = 400;
/** Kept files are found by reading journals. */
const KEPT_EVERY_MS = 10_000;

export interface LiveParts {
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly warmUps: Pick<WarmUps, 'of'>;
}

/** Looks at the mounts each second, for the pages that are open. While there are none it asks nothing. */
export class LiveView {
  readonly #parts: LiveParts;
  readonly #viewers = new Set<Viewer>();
  #watched = new Map<string, WatchedMount>();
  #kept: FoundKept = { entries: [], unreadable: [] };
  #keptMs = Number.NEGATIVE_INFINITY;
  #stop: AbortController | undefined;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Answers what ends it. */
  add(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    if (this.#stop === undefined) {
      const stop = new AbortController();
      this.#stop = stop;
      void this.#run(stop.signal);
    } else this.#show(viewer);
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
    };
  }

  /** The mount of an id, if it runs. */
  mount(id: string): WatchedMount['mount'] | undefined {
    return this.#watched.get(id)?.mount;
  }

  /** Something was done: the next look is a whole one. */
  lookAgain(): void {
    this.#keptMs = Number.NEGATIVE_INFINITY;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      await this.#look();
      if (signal.aborted) return;
      for (const viewer of this.#viewers) this.#show(viewer);
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { mounts, clock } = this.#parts;
    const found = await mounts.list().catch(() => []);
    const known = new Map([...this.#watched.values()].map((each) => [each.mount.mountPoint, each]));
    const watched = found.map((mount) => known.get(mount.mountPoint) ?? new WatchedMount(mount, this.#parts));
    this.#watched = new Map(watched.map((each) => [each.id, each]));
    const shown = new Set([...this.#viewers].map((viewer) => this.#shownTo(viewer)));
    const looks = watched.map((each) => each.look(shown.has(each)));
    await Promise.race([Promise.all(looks), clock.sleep(SETTLE_MS)]);
    if (clock.monotonic() - this.#keptMs < KEPT_EVERY_MS) return;
    this.#keptMs = clock.monotonic();
    this.#kept = await mounts
      .kept()
      .catch((error: unknown) => ({ entries: [], unreadable: [messageOf(error)] }));
  }

  #shownTo({ mount }: Viewer): WatchedMount | undefined {
    return this.#watched.get(mount ?? '') ?? this.#watched.values().next().value;
  }

  #show(viewer: Viewer): void {
    viewer.onOverview({
      version: packageVersion(),
      mounts: [...this.#watched.values()].map((each) => each.summary(this.#keptOf(each))),
      kept: keptView(this.#kept),
    });
    const shown = this.#shownTo(viewer);
    if (shown === undefined) return;
    viewer.onMount(shown.details(this.#keptOf(shown), this.#parts.warmUps.of(shown.mount)));
    viewer.onHistory(shown.history());
  }

  /** Files that only a person can deal with. */
  #keptOf({ mount: { directory } }: WatchedMount): number {
    return this.#kept.entries.filter(
      (entry) => needsPerson(entry) && entry.place.directory.root === directory.root,
    ).length;
  }
}
