import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const { SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM } = constants.signals;

/** A signal whose default is to end the process shows as SIGKILL too, once it was delivered. */
const STOPPING = [SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM].reduce((set, signal) => set | bit(signal), 0n);

/**
 * Whether the thread that waits for us is asked to stop, as by Ctrl-C.
 *
 * The kernel sends INTERRUPT for any signal with a handler: a child that ended, a resized window, a timer's tick, Ctrl-Z.
 * Such handlers expect the system call to go on (SA_RESTART), as it does on every local file system, and programs fail
 * on an EINTR there; the protocol has no way to ask for a restart.
 *
 * Reads procfs, which never waits for a disk. True when the thread cannot be seen.
 */
export function wantsToStop(threadId: number): boolean {
  try {
    return hasStoppingSignal(readFileSync(`/proc/${threadId}/status`, 'latin1'));
  } catch {
    return true;
  }
}

/** The same from the text of /proc/PID/status (proc_pid_status(5)). */
export function hasStoppingSignal(status: string): boolean {
  const set = (field: string): bigint => {
    const digits = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
    return digits === undefined ? 0n : BigInt(`0x${digits}`);
  };
  const pending = set('SigPnd') | set('ShdPnd');
  return (pending & ~set('SigBlk') & STOPPING) !== 0n;
}

function bit(signal: number): bigint {
  return 1n << BigInt(signal - 1);
}
