import { systemClock } from '../lib/clock.ts';
import { isRunning, type ProcessIdentity } from '../lib/process-identity.ts';

const POLL_MS = 20;

/** Waits for the end of a process that is not a child of ours. False when it still runs after `timeoutMs`. */
export async function untilGone(process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = systemClock.monotonic() + timeoutMs;
  while (await isRunning(process)) {
    if (systemClock.monotonic() > deadline) return false;
    await systemClock.sleep(POLL_MS);
  }
  return true;
}
