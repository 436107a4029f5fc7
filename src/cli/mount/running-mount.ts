import type { LeftBehind } from '../../vfs/closed/closed-files.ts';

/** A mount being served, as what ends it sees it. */
export interface RunningMount {
  /** Files whose content is not yet wholly on the service, for people. */
  pending(): readonly string[];
  /** Resolves when nothing is under way, with what is not on the service. */
  idle(signal: AbortSignal): Promise<LeftBehind>;
  /**
   * `busy`: it is in use (EBUSY) and stays as it was. `held`: it goes on in another mount namespace. `not-ours`: another process
   * takes it away.
   */
  unmount(): Promise<'unmounted' | 'busy' | 'held' | 'not-ours'>;
  /** Out of the tree at once, even while programs use it. Synchronous: also for a process that is about to crash. */
  detachNow(): void;
  /** The kernel's side is over, however it came to that. */
  readonly closed: Promise<void>;
  /** After `closed`: lets go of connections, timers and files. */
  close(): Promise<void>;
}
