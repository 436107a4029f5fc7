import { messageOf } from '../../lib/message-of.ts';
import { CliError } from '../exit-codes.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import type { TraceEvent } from '../mount/trace/trace-event.ts';
import type { TopSample } from './activity.ts';
import { SlowPaths } from './slow-paths.ts';

/** Durations are those of so many intervals. */
const KEPT_SAMPLES = 11;
/** Answers that the mount has by itself are faster. */
const SLOW_MS = 10;

/** What a mount tells of itself while somebody looks. */
export class TopSource {
  readonly #mount: SvcfsMount;
  readonly #slow = new SlowPaths();
  readonly #samples: TopSample[] = [];
  #failure: string | undefined;
  #hasEnded = false;

  constructor(mount: SvcfsMount) {
    this.#mount = mount;
  }

  /** Oldest first. */
  get samples(): readonly TopSample[] {
    return this.#samples;
  }

  /** Why there is no newer sample. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** No process serves the mount any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  slowest(nowMs: number): readonly TraceEvent[] {
    return this.#slow.list(nowMs);
  }

  /** Asks the mount how it is. A process that does not answer is a failure to show. @throws CliError when it cannot know */
  async sample(): Promise<void> {
    try {
      for await (const said of askMount(this.#mount, { request: 'status' })) {
        if (said.answer !== 'status') throw new CliError('failure', 'its process does not tell its status');
        const { answer: _, ...status } = said;
        this.#samples.push({ atMs: performance.now(), status });
        if (this.#samples.length > KEPT_SAMPLES) this.#samples.shift();
        this.#failure = undefined;
        return;
      }
      this.#hasEnded = true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#failure = messageOf(error);
    }
  }

  /** Learns of slow operations, until the mount ends or is not asked any more. */
  async follow(signal: AbortSignal): Promise<void> {
    const request = { request: 'trace', slowMs: SLOW_MS } as const;
    try {
      for await (const said of askMount(this.#mount, request, { takeBack: signal }))
        if (said.answer === 'traced') this.#slow.add(said.event);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#failure = messageOf(error);
    }
  }
}
