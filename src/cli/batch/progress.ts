import type { RateSnapshot } from '../../api/transport/rate-budget.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { AS_GOOD_AS_NONE } from '../describe/describe-status.ts';

const ERASE_LINE = '\r\x1b[K';
const BAR_EVERY_MS = 500;
const LINE_EVERY_MS = 10_000;

export interface Amount {
  readonly items: number;
  readonly bytes: number;
}

interface Shown {
  /** Of what: `files`, or `items`. */
  readonly total: Amount;
  readonly quiet: boolean;
  readonly clock: Clock;
  readonly stream: NodeJS.WriteStream;
  /** Asked at each look, while the work goes on. */
  readonly rate: () => Promise<RateSnapshot['window']>;
}

/** How far a command is: one line that is drawn anew on a terminal, else a line every ten seconds. */
export class Progress {
  readonly #shown: Shown;
  readonly #beganMs: number;
  readonly #ended = sharedAbortController();
  #done: Amount = { items: 0, bytes: 0 };

  constructor(shown: Shown) {
    this.#shown = shown;
    this.#beganMs = shown.clock.monotonic();
    if (!shown.quiet && shown.total.items > 0) void this.#show();
  }

  add({ items, bytes }: Amount): void {
    this.#done = { items: this.#done.items + items, bytes: this.#done.bytes + bytes };
  }

  /** Before another line is written: the bar makes room for it, and comes again below. */
  makeRoom(): void {
    const { quiet, stream } = this.#shown;
    if (!quiet && stream.isTTY) stream.write(ERASE_LINE);
  }

  end(): void {
    this.#ended.abort();
    this.makeRoom();
  }

  async #show(): Promise<void> {
    const { clock, stream, rate } = this.#shown;
    const { signal } = this.#ended;
    const isBar = stream.isTTY === true;
    while (!signal.aborted) {
      await clock.sleep(isBar ? BAR_EVERY_MS : LINE_EVERY_MS, signal).catch(() => undefined);
      // A mount that does not answer is told by the calls.
      const window = signal.aborted ? undefined : await rate().catch(() => undefined);
      if (signal.aborted) return;
      const line = describeProgress(this.#done, this.#shown.total, {
        elapsedMs: clock.monotonic() - this.#beganMs,
        nowMs: clock.now(),
        window,
      });
      stream.write(isBar ? `${ERASE_LINE}${line}` : `svcfs: ${line}\n`);
    }
  }
}

/** `1200 of 2000, 310 MiB, 35/s, 800 left; 412 of 1000 requests left, limit resets in 2:10`. */
export function describeProgress(
  done: Amount,
  total: Amount,
  at: { readonly elapsedMs: number; readonly nowMs: number; readonly window: RateSnapshot['window'] },
): string {
  const perSecond = at.elapsedMs > 0 ? (done.items * 1000) / at.elapsedMs : 0;
  const parts = [
    `${done.items} of ${total.items}`,
    ...(total.bytes > 0 ? [`${describeSize(done.bytes)} of ${describeSize(total.bytes)}`] : []),
    `${done.items === 0 && done.bytes > 0 ? describeSize((done.bytes * 1000) / Math.max(1, at.elapsedMs)) : perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`,
    `${total.items - done.items} left`,
  ];
  return [parts.join(', '), ...describeLimit(at.window, at.nowMs)].join('; ');
}

function describeLimit(window: RateSnapshot['window'], nowMs: number): readonly string[] {
  if (window === undefined || window === 'unlimited' || window.limit >= AS_GOOD_AS_NONE) return [];
  const { limit, remaining, resetMs } = window;
  const reset = resetMs === null ? '' : `, limit resets in ${minutes(resetMs - nowMs)}`;
  return [`${remaining} of ${limit} requests left${reset}`];
}

function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
