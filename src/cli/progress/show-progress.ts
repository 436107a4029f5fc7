import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { describeStanding, drawStanding, type Shown, secondsLeft, waitsOf } from './describe-standing.ts';
import { RecentRate } from './recent-rate.ts';
import type { ReadStanding } from './standing.ts';

/** As commands take it. */
export interface WaitOptions {
  readonly quiet: boolean;
  /** One line of JSON for each look, in place of a bar. */
  readonly json: boolean;
}

export interface ProgressOptions extends WaitOptions {
  /** What goes on, for a line of its own: `uploading`. */
  readonly doing?: string;
}

interface Place {
  /** Default: standard error. Results go to standard output. */
  readonly stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  readonly clock?: Clock;
}

type Form = 'bar' | 'json' | 'lines';

const ERASE_LINE = '\r\x1b[K';
/** What takes less shows nothing. */
const FIRST_LOOK_MS = 1000;
const EVERY_MS: Readonly<Record<Form, number>> = { bar: 500, json: 1000, lines: 10_000 };
/** A look that takes long is taken less often: it may hold up the work that it looks at. */
const REST_SHARE = 9;
const DEFAULT_COLUMNS = 80;

/**
 * Shows how far some work is, until `end`: in one line that is drawn anew on a terminal, else in a line every ten seconds.
 * Nothing in the first second.
 */
export class ShownProgress {
  readonly #read: ReadStanding;
  readonly #options: ProgressOptions;
  readonly #stream: NonNullable<Place['stream']>;
  readonly #clock: Clock;
  readonly #form: Form;
  readonly #beganMs: number;
  readonly #rate = new RecentRate();
  readonly #ended = sharedAbortController();

  constructor(read: ReadStanding, options: ProgressOptions, place: Place = {}) {
    this.#read = read;
    this.#options = options;
    this.#stream = place.stream ?? process.stderr;
    this.#clock = place.clock ?? systemClock;
    this.#form = options.json ? 'json' : this.#stream.isTTY === true ? 'bar' : 'lines';
    this.#beganMs = this.#clock.monotonic();
    if (!options.quiet) void this.#show();
  }

  /** Before another line is written: the bar makes room for it, and comes again below. */
  makeRoom(): void {
    if (!this.#options.quiet && this.#form === 'bar') this.#stream.write(ERASE_LINE);
  }

  end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.makeRoom();
  }

  async #show(): Promise<void> {
    const { signal } = this.#ended;
    let nextLineMs = this.#beganMs + (this.#form === 'lines' ? EVERY_MS.lines : 0);
    let pauseMs = FIRST_LOOK_MS;
    while (!signal.aborted) {
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
      const beganMs = this.#clock.monotonic();
      // A mount that does not answer is told by the command itself.
      const standing = signal.aborted ? undefined : await this.#read(signal).catch(() => undefined);
      if (signal.aborted) return;
      const nowMs = this.#clock.monotonic();
      if (standing !== undefined) {
        this.#rate.add(nowMs, standing.done);
        const shown = { standing, rate: this.#rate.perSecond, elapsedMs: nowMs - this.#beganMs };
        if (nowMs >= nextLineMs) this.#write(shown);
      }
      if (nowMs >= nextLineMs) nextLineMs = nowMs + EVERY_MS[this.#form];
      pauseMs = Math.max(nextLineMs - nowMs, REST_SHARE * (nowMs - beganMs));
    }
  }

  #write(shown: Shown): void {
    const { doing } = this.#options;
    const told = doing === undefined ? '' : `${doing}: `;
    if (this.#form === 'json') this.#stream.write(`${JSON.stringify(eventOf(shown, doing))}\n`);
    else if (this.#form === 'lines') this.#stream.write(`svcfs: ${told}${describeStanding(shown)}\n`);
    else
      this.#stream.write(
        `${ERASE_LINE}${told}${drawStanding(shown, (this.#stream.columns ?? DEFAULT_COLUMNS) - told.length)}`,
      );
  }
}

/** Shows how far the work is that `work` does, and takes that away at its end. */
export async function showing<T>(
  read: ReadStanding,
  options: ProgressOptions,
  work: (progress: ShownProgress) => Promise<T>,
): Promise<T> {
  const progress = new ShownProgress(read, options);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

function eventOf(shown: Shown, doing: string | undefined): object {
  const { standing, rate, elapsedMs } = shown;
  const { done, total, items = 'files' } = standing;
  return {
    event: 'progress',
    doing,
    [items]: { done: done.items, total: total.items, perSecond: rounded(rate.items) },
    bytes: { done: done.bytes, total: total.bytes, perSecond: Math.round(rate.bytes) },
    elapsedSeconds: rounded(elapsedMs / 1000),
    secondsLeft: rounded(secondsLeft(shown)),
    waits: waitsOf(shown),
  };
}

/** Null where it is not known. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10) / 10;
}
