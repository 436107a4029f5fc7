import type { Logger } from '../../observe/logger.ts';
import type { LeftBehind } from '../../vfs/closed/closed-files.ts';
import type { UnmountResult } from './control-messages.ts';
import type { RunningMount } from './running-mount.ts';

/** How long a mount that was told to end waits before it says again what for. */
const REPORT_EVERY_MS = 1000;

/** The end of a whole unit or session reaches both: the process itself by a signal, and the command, which passes it on. */
type Teller = 'signal' | 'command';

/**
 * The ways a mount ends. A user asks for `unmount`, which may be refused. A signal ends the process in any case, but
 * after all written bytes have reached the service. A second signal waits for nothing: the next mount goes on with
 * unfinished uploads from the journal. An unmount behind our back ends the process, too.
 */
export class MountEnd {
  /** The mount is gone and what it left to do is done, or was given up. */
  readonly ended: Promise<void>;
  readonly #mount: RunningMount;
  readonly #log: Logger;
  readonly #forced = new AbortController();
  readonly #toldBy = new Set<Teller>();
  #isClosed = false;
  /** Settled: no program is unmounting. */
  #takingAway: Promise<unknown> = Promise.resolve();

  constructor(mount: RunningMount, log: Logger) {
    this.#mount = mount;
    this.#log = log;
    this.ended = this.#finish();
  }

  /** Tells `onWaiting` what it waits for, at once and now and then; answers what it waited for in vain. */
  async unmount(
    onWaiting: (pending: readonly string[]) => void,
    signal: AbortSignal,
  ): Promise<UnmountResult> {
    const left = await this.#untilIdle(onWaiting, signal);
    const answer = await this.#takeAway();
    if (answer === 'unmounted') return { answer, left: left.waiting, refused: left.refused };
    return answer === 'held' ? { answer, daemon: process.pid } : { answer };
  }

  /** Told to end; by the same one again, to wait for nothing. */
  async onTold(by: Teller): Promise<void> {
    const isEnding = this.#toldBy.size > 0;
    if (this.#toldBy.has(by) || (this.#isClosed && !isEnding)) return this.abandon();
    await this.begin(by);
  }

  /** Nothing when it is ending already. */
  async begin(by: Teller): Promise<void> {
    const isEnding = this.#toldBy.size > 0 || this.#isClosed;
    this.#toldBy.add(by);
    if (isEnding) return;
    try {
      const { answer } = await this.unmount((pending) => this.#logWaiting(pending), this.#forced.signal);
      if (answer === 'unmounted') return;
      if (answer !== 'not-ours') this.#log.warn({}, 'in use: taken out of the tree');
    } catch (error) {
      if (this.#forced.signal.aborted) return;
      this.#log.error({ err: error }, 'unmount failed');
    }
    this.#mount.detachNow();
  }

  /** Waits for nothing. */
  abandon(): void {
    this.#log.warn({ pending: this.#mount.pending() }, 'ending without waiting');
    this.#forced.abort();
    this.#mount.detachNow();
  }

  async #takeAway(): ReturnType<RunningMount['unmount']> {
    const taking = this.#mount.unmount();
    this.#takingAway = Promise.allSettled([this.#takingAway, taking]);
    return taking;
  }

  async #finish(): Promise<void> {
    await this.#mount.closed;
    this.#isClosed = true;
    // The program that unmounts may end long after the mount, and the caller waits for its answer.
    await this.#takingAway;
    // Files that programs let go of at the last moment are published after the kernel is done with us.
    await this.#untilIdle((pending) => this.#logWaiting(pending), this.#forced.signal).catch(() => undefined);
    await this.#mount.close();
  }

  #logWaiting(pending: readonly string[]): void {
    this.#log.info({ files: pending.length, first: pending[0] }, 'waiting for uploads');
  }

  async #untilIdle(
    onWaiting: (pending: readonly string[]) => void,
    signal: AbortSignal,
  ): Promise<LeftBehind> {
    const report = (): void => {
      const pending = this.#mount.pending();
      if (pending.length > 0) onWaiting(pending);
    };
    report();
    const timer = setInterval(report, REPORT_EVERY_MS);
    try {
      return await this.#mount.idle(AbortSignal.any([signal, this.#forced.signal]));
    } finally {
      clearInterval(timer);
    }
  }
}
