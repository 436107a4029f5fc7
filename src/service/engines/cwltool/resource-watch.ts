/**
 * Ends a run that takes more than it may: memory over that of its instance type, too long a time, or the last of the disk
 * that it shares with others. It looks every few seconds; what is gone by then has done no harm.
 */
import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../lib/clock.ts';
import { TaskFailure } from '../task-engine.ts';
import { groupMemory } from './group-memory.ts';

const INTERVAL_MS = 2000;
const MIB = 1024 * 1024;

export interface ResourceLimits {
  readonly memoryBytes: number | undefined;
  readonly seconds: number;
  /** What must stay free where the directory is. */
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
