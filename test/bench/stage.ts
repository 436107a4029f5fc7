import type { Line } from './line.ts';
import type { CoreSeconds } from './measure/core-seconds.ts';
import type { Mounted, MountPeer } from './peers/mounted.ts';
import type { ServerAt } from './server/server-side.ts';
import type { Sizes } from './sizes.ts';

export type Unit = 'MiB/s' | 'ops/s' | 's' | 'ms' | 'MiB';

/** One line of the table. Rates are better high, times low. */
export interface Row {
  readonly name: string;
  readonly unit: Unit;
}

/** The result of one trial for one row. */
export interface Sample {
  readonly value: number;
  /** Bytes of files that moved: what CPU time is divided by. */
  readonly movedBytes?: number;
  /** Of the client. */
  readonly cpuSeconds?: number;
  /** Of the client, since it was mounted. */
  readonly peakRssMib?: number;
  readonly apiRequests?: number;
  readonly dataRequests?: number;
  readonly sentBytes?: number;
  /** Answers 429. */
  readonly refusals?: number;
  /** No client can be faster, by the rate limit alone. */
  readonly floorSeconds?: number;
  /** Of rows that move large files. */
  readonly cores?: CoreSeconds;
}

export interface Contestant {
  readonly peer: string;
  /** Samples by row name; called once per run, in turn with the others. */
  trial(): Promise<Readonly<Record<string, Sample>>>;
}

/** Where rows are measured: everything is up, over one line. */
export interface Stage {
  /** As it is reached over the line. */
  readonly server: ServerAt;
  readonly line: Line;
  readonly sizes: Sizes;
  /** For mount points and caches. */
  readonly directory: string;
  /** For what servers keep. */
  readonly serverDirectory: string;
  /** For what the next run can use again. */
  readonly kept: string;
  /** svcfs, rclone (off, full) by WebDAV and by S3, s3fs. */
  readonly mounts: readonly MountPeer[];
}

/** Rows that are measured together. */
export interface Family {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Measured over TLS as well. */
  readonly overTls?: boolean;
  /** Where it is measured, whatever is asked for. */
  readonly lines?: readonly Line[];
  /** False: on memory as the machine has it, as a user does, before any is kept (`measure/keep-memory.ts`). */
  readonly keepsMemory?: boolean;
  /** Trials of each contestant at most. */
  readonly mostRuns?: number;
  /** Where a trial takes seconds, more of them tell apart what others take an hour for. */
  readonly trialsARun?: number;
  contestants(stage: Stage): readonly Contestant[] | Promise<readonly Contestant[]>;
}

const MIB = 1024 * 1024;

export function mibPerSecond(bytes: number, seconds: number): number {
  return bytes / MIB / seconds;
}

/** Mounts, works and unmounts, whatever happens. */
export async function onMount<T>(peer: MountPeer, work: (mounted: Mounted) => Promise<T>): Promise<T> {
  const mounted = await peer.mount();
  try {
    return await work(mounted);
  } finally {
    await mounted.unmount();
  }
}
