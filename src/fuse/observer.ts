import type { RequestContext } from '../vfs/file-system.ts';

/** One answered request, for logs and metrics. */
export interface ReplyRecord {
  /** `LOOKUP`, `READ`, … */
  readonly operation: string;
  /** 0 for success. */
  readonly errno: number;
  readonly durationMs: number;
  readonly nodeId: number;
  readonly pid: number;
  /** The same object that the file system was given. */
  readonly context: RequestContext;
  /** The error that the handler threw. */
  readonly error?: unknown;
}

/** Told of each reply, after it was sent. Runs on the mount's loop: it must be quick and must not throw. */
export interface Observer {
  onReply(record: ReplyRecord): void;
}
