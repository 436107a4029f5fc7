import { processState } from '../../lib/process-identity.ts';
import type { MountRecord } from '../record.ts';
import type { SvcfsMount } from './require-mount.ts';

/** Of a process that is there and answers nothing: since when, what it does as far as the system tells, and what helps. */
export async function describeSilence(
  { mountPoint, directory }: SvcfsMount,
  record: MountRecord | undefined,
  sinceMs: number,
): Promise<string> {
  const pid = record === undefined ? '' : ` ${record.daemon.pid}`;
  const since = new Date(sinceMs).toISOString();
  const seconds = Math.round((Date.now() - sinceMs) / 1000);
  const state = record === undefined ? '' : await describeState(record);
  return (
    `${mountPoint}: its process${pid} has not answered since ${since} (${seconds} s)${state}. ` +
    `${remedyOf(mountPoint)}. Its log is ${directory.log}`
  );
}

/** Of a process that was killed, and whose mount is still there. */
export function describeEnded({ mountPoint }: SvcfsMount, { daemon }: MountRecord): string {
  return `${mountPoint}: its process ${daemon.pid} does not answer: it has ended. ${remedyOf(mountPoint)}`;
}

function remedyOf(mountPoint: string): string {
  return `svcfs unmount --force ${mountPoint} takes the mount away; what is not uploaded waits for the next mount`;
}

async function describeState({ daemon }: MountRecord): Promise<string> {
  switch (await processState(daemon)) {
    case 'T':
    case 't':
      return `; it is stopped: kill -CONT ${daemon.pid} lets it go on`;
    case 'D':
      return '; it waits for a disk or another file system';
    default:
      return '';
  }
}
