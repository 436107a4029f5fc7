import { readFile } from 'node:fs/promises';

/** A process that cannot be taken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to its start (proc_pid_stat(5), field 22). */
  readonly startTicks: string;
}

/** Place of `starttime` among the fields after the command's name. */
const START_AFTER_NAME = 19;

/** Undefined when no such process runs; a zombie does not run. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold brackets and blanks itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTicks = fields[START_AFTER_NAME];
    if (startTicks === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, startTicks };
  } catch {
    return undefined;
  }
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startTicks === identity.startTicks;
}
