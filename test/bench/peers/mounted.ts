import type { ProcessUsage } from '../measure/process-usage.ts';
import type { Counts } from '../server/counts.ts';

/** The tree of the data set, mounted by somebody. */
export interface Mounted {
  /** A path of the data set in the mount. */
  path(name: string): string;
  /** Of the mounting processes since they began. */
  usage(): Promise<ProcessUsage>;
  /** Of their server, by everybody. */
  counts(): Promise<Counts>;
  /** Until what was written is on the server, for mounts that answer before. */
  settled(name: string, sizeBytes: number): Promise<void>;
  unmount(): Promise<void>;
}

export interface MountPeer {
  readonly name: string;
  /** An empty cache, nothing known: every mount is cold. */
  mount(): Promise<Mounted>;
}
