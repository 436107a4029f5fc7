/**
 * Ends a run that takes more than it may: memory over that of its instance type, too long a time, or the last of the disk
 * that it shares with others. It looks every few seconds; what is gone by then has done no harm.
 */
import { readdir, readFile, statfs } from 'node:fs/promises';
import type { Clock } from '../../../lib/clock.ts';
import { TaskFailure } from '../task-engine.ts';

const INTERVAL_MS = 2000;
const MIB = 1024 * 1024;

export interface ResourceLimits {
  readonly memoryBytes: number | undefined;
  readonly seconds: number;
  /** The space that must stay free on the disk of the directory. */
  readonly freeDiskBytes: number;
}

/** Rejects with a TaskFailure when a limit is passed; resolves when the signal fires. */
export async function watchResources(
  {
    groupId,
    directory,
    limits,
  }: { readonly groupId: number; readonly directory: string; readonly limits: ResourceLimits },
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.monotonic() + limits.seconds * 1000;
  while (!signal.aborted) {
    await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (clock.monotonic() > deadline)
      throw new TaskFailure(`The task ran longer than ${limits.seconds} seconds.`);
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < limits.freeDiskBytes) throw new TaskFailure('The disk for running tasks is full.');
    const { memoryBytes } = limits;
    if (memoryBytes !== undefined && (await groupMemory(groupId)) > memoryBytes) {
      throw new TaskFailure(
        `The task used more memory than the ${Math.round(memoryBytes / MIB)} MiB of its instance.`,
      );
    }
  }
}

const PAGE_BYTES = 4096;
/** Fields of /proc/PID/stat after the name, which is in parentheses (proc(5)). */
const PROCESS_GROUP = 2;
const RESIDENT_PAGES = 21;

/** Resident memory of all processes of a group, in bytes; shared pages are counted for each. Linux only: elsewhere 0. */
async function groupMemory(groupId: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const sizes = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => residentBytes(pid, groupId)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function residentBytes(pid: string, groupId: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[PROCESS_GROUP]) === groupId ? Number(fields[RESIDENT_PAGES]) * PAGE_BYTES : 0;
}
