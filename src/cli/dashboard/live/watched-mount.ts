import { basename } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/message-of.ts';
import type { MountStatus } from '../../mount/control-messages.ts';
import type { SvcfsMount } from '../../mount/require-mount.ts';
import type { HistoryView, MountDetails, MountSummary, WarmUpView } from '../page-model.ts';
import { silent, type Verdict, verdictOf } from '../view/health.ts';
import { joined, NO_HISTORY } from '../view/history-view.ts';
import { contentOf, NOTHING_KNOWN } from '../view/mount-view.ts';
import { PresentRate } from '../view/present-rate.ts';
import type { Mounts } from './mounts.ts';

/** A process that works answers within milliseconds. */
const QUIET_MS = 3000;
/** As often as there is a new sample. */
const HISTORY_EVERY_MS = 10_000;

/** What the dashboard knows of one mount. It is asked one thing at a time: one that hangs is not asked again meanwhile. */
export class WatchedMount {
  readonly mount: SvcfsMount;
  readonly id: string;
  readonly #mounts: Mounts;
  readonly #clock: Clock;
  readonly #down = new PresentRate();
  readonly #up = new PresentRate();
  #downRate = 0;
  #upRate = 0;
  #uploadRates = new Map<string, { readonly counter: PresentRate; readonly rate: number }>();
  #status: MountStatus | undefined;
  #other: string | undefined;
  #asking: Promise<void> | undefined;
  #askedMs = 0;
  #history = NO_HISTORY;
  #historyMs = Number.NEGATIVE_INFINITY;
  /** Why there was no answer to the last question. */
  #silence: string | undefined;

  constructor(mount: SvcfsMount, { mounts, clock }: { readonly mounts: Mounts; readonly clock: Clock }) {
    this.mount = mount;
    this.id = basename(mount.directory.root);
    this.#mounts = mounts;
    this.#clock = clock;
    mounts.otherVersion(mount).then(
      (other) => {
        this.#other = other;
      },
      () => undefined,
    );
  }

  /** Asks how it is, unless it is asked already; `closely`: how it was, too. Settles with the answer; never rejects. */
  look(closely: boolean): Promise<void> {
    if (this.#asking === undefined) {
      this.#askedMs = this.#clock.monotonic();
      this.#asking = this.#ask(closely).finally(() => {
        this.#asking = undefined;
      });
    }
    return this.#asking;
  }

  async #ask(closely: boolean): Promise<void> {
    try {
      const { answer: _, ...status } = await this.#mounts.ask(this.mount, { request: 'status' });
      this.#learn(status);
      if (closely) await this.#askHistory();
      this.#silence = undefined;
    } catch (error) {
      this.#silence = messageOf(error);
    }
  }

  /** A mount of an earlier version has none. */
  async #askHistory(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    if (this.#other !== undefined || nowMs - this.#historyMs < HISTORY_EVERY_MS) return;
    const sinceMs = this.#history.atMs.at(-1) ?? 0;
    const { samples } = await this.#mounts.ask(this.mount, { request: 'history', sinceMs });
    this.#historyMs = nowMs;
    this.#history = joined(this.#history, samples);
  }

  #learn(status: MountStatus): void {
    const { uploads, statistics } = status;
    const nowMs = this.#clock.monotonic();
    this.#status = status;
    this.#downRate = this.#down.at(nowMs, statistics.cache.fetchedBytes);
    this.#upRate = this.#up.at(nowMs, statistics.uploads.sentBytes);
    this.#uploadRates = new Map(
      uploads.map(({ label, sentBytes }) => {
        const counter = this.#uploadRates.get(label)?.counter ?? new PresentRate();
        return [label, { counter, rate: counter.at(nowMs, sentBytes) }];
      }),
    );
  }

  /** `kept`: files of it that only a person can deal with. */
  summary(kept: number): MountSummary {
    return this.#summary(this.#verdict(kept));
  }

  details(kept: number, warmUps: readonly WarmUpView[]): MountDetails {
    const verdict = this.#verdict(kept);
    const content =
      this.#status === undefined
        ? NOTHING_KNOWN
        : contentOf({
            status: this.#status,
            rateOf: (path) => this.#uploadRates.get(path)?.rate ?? 0,
          });
    return {
      ...this.#summary(verdict),
      notices: [
        ...verdict.notices,
        ...(this.#other === undefined ? [] : [{ health: 'warning' as const, text: this.#other }]),
      ],
      ...content,
      warmUps,
    };
  }

  history(): HistoryView {
    return { id: this.id, ...this.#history };
  }

  #summary({ health, state }: Verdict): MountSummary {
    const { uploads = [], jobs = [] } = this.#status ?? {};
    return {
      id: this.id,
      mountPoint: this.mount.mountPoint,
      health,
      state,
      downRate: Math.round(this.#downRate),
      upRate: Math.round(this.#upRate),
      uploads: uploads.length,
      jobs: jobs.filter((job) => job.state === 'pending' || job.state === 'running').length,
    };
  }

  #verdict(kept: number): Verdict {
    if (this.#silence !== undefined) return silent(this.#silence);
    const quietMs = this.#asking === undefined ? 0 : this.#clock.monotonic() - this.#askedMs;
    if (quietMs >= QUIET_MS) {
      const { mountPoint } = this.mount;
      return silent(`${mountPoint}: its process has not answered for ${Math.round(quietMs / 1000)} s.`);
    }
    if (this.#status === undefined) return { health: 'well', state: 'being asked', notices: [] };
    const { mountPoint } = this.mount;
    return verdictOf(this.#status, { mountPoint, kept, nowMs: this.#clock.now() });
  }
}
