import { readdir, readFile } from 'node:fs/promises';

/** A process that cannot be taken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to its start (proc_pid_stat(5), field 22). */
  readonly startTicks: string;
}

/** Place of `starttime` among the fields after the command's name. */
const START_AFTER_NAME = 19;

/** States of a process that has ended (proc_pid_stat(5)). */
const ENDED = new Set(['Z', 'X']);

/** Undefined when no such process runs; a zombie does not run. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const found = await statOf(pid);
  return found === undefined || ENDED.has(found.state) ? undefined : found.identity;
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startTicks === identity.startTicks;
}

/**
 * The letter that proc_pid_stat(5) gives the state of the process: `T` is stopped, `D` waits for a disk, `Z` is a zombie.
 * Undefined when there is no such process.
 */
export async function processState({ pid, startTicks }: ProcessIdentity): Promise<string | undefined> {
  const found = await statOf(pid);
  return found?.identity.startTicks === startTicks ? found.state : undefined;
}

/**
 * Whether the process has ended except for a thread that the kernel keeps, as in a write(2) that waits for a lock. All that
 * the process had open is still open: its sockets listen, and its files are locked.
 */
export async function lingers(identity: ProcessIdentity): Promise<boolean> {
  if (!ENDED.has((await processState(identity)) ?? '')) return false;
  const threads = await readdir(`/proc/${identity.pid}/task`).catch(() => []);
  return threads.length > 1;
}

async function statOf(
  pid: number,
): Promise<{ readonly identity: ProcessIdentity; readonly state: string } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold brackets and blanks itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTicks = fields[START_AFTER_NAME];
    const [state] = fields;
    return startTicks === undefined || state === undefined
      ? undefined
      : { identity: { pid, startTicks }, state };
  } catch {
    return undefined;
  }
}
