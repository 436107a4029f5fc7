import { systemClock } from '../../lib/clock.ts';
import { askDaemon } from './ask-daemon.ts';

export interface Patience {
  /** How long a question waits for its answer before the process is asked whether it is there. */
  readonly quietMs: number;
  /** How long a process that works may take to say that it is. */
  readonly answerMs: number;
}

/** Together as long as a person waits before they press Ctrl-C. */
const PATIENCE: Patience = { quietMs: 3000, answerMs: 7000 };

/** A look at a mount's process, besides a question that it may answer late. */
export interface LifeWatch {
  /** Fires when the process answers nothing. */
  readonly lost: AbortSignal;
  /** When it was last known to work: milliseconds since the epoch. */
  lastSignMs(): number;
  stop(): void;
}

/** Asks the process now and then whether it is there. A process that ended counts as one that answers: its socket is closed. */
export function watchLife(socketPath: string, { quietMs, answerMs }: Patience = PATIENCE): LifeWatch {
  const lost = new AbortController();
  const stopped = new AbortController();
  let lastSignMs = systemClock.now();
  const watch = async (): Promise<void> => {
    for (;;) {
      await systemClock.sleep(quietMs, stopped.signal);
      const askedMs = systemClock.now();
      if (!(await answersWithin(socketPath, answerMs, stopped.signal))) return lost.abort();
      lastSignMs = askedMs;
    }
  };
  // Stopped, or asked in vain for a reason that the question itself meets as well.
  watch().catch(() => undefined);
  return { lost: lost.signal, lastSignMs: () => lastSignMs, stop: () => stopped.abort() };
}

/** Whether a mount's process says anything, or closes its socket. */
async function answersWithin(socketPath: string, ms: number, signal: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.timeout(ms);
  for await (const _ of askDaemon(
    socketPath,
    { request: 'ping' },
    { signal: AbortSignal.any([signal, patience]) },
  ))
    return true;
  signal.throwIfAborted();
  return !patience.aborted;
}
