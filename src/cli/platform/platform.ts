import type { FileRecord, TaskRecord } from '../../api/model.ts';
import type { ConnectionStatus } from '../../api/transport/connection.ts';
import type { LearntEntries } from '../../vfs/listing/learn-entries.ts';
import type { LearntItem } from '../../vfs/listing/learn-items.ts';
import type { PlatformApi } from '../calls/calls.ts';

/** A platform as commands reach it: through a mount, or straight. */
export interface Platform {
  /** The top of the mount that it is reached through. */
  readonly mountPoint?: string;
  /** An interrupt takes back a change that was not sent yet, and ends a look. */
  readonly api: PlatformApi;
  /** Of files that were changed by `api`: mounts of this user are to show them as they are. */
  onChanged(files: readonly FileRecord[]): Promise<void>;
  /** Of names that mean something else now: the same. */
  onEntriesChanged(entries: readonly LearntEntries[]): Promise<void>;
  /** Of projects and volumes that were made, edited or removed: the same. */
  onItemsChanged(items: readonly LearntItem[]): Promise<void>;
  /** Of the platform: commands tell its files from those of another by it. */
  endpoint(): Promise<string>;
  /** Of tasks that were made or changed: the same. */
  onTasksChanged(tasks: readonly TaskRecord[]): Promise<void>;
  /** What a person should read of a failure; undefined for one that is nobody's. */
  explain(error: unknown): Error | undefined;
  /** Calls of `api` that were begun so far. */
  calls(): number;
  /** The causes that calls wait for, and the rest of the rate limit, as far as it is known. Not waited for once `ended`. */
  connection(ended?: AbortSignal): Promise<Pick<ConnectionStatus, 'rate' | 'unanswered'> | undefined>;
  close(): Promise<void>;
}
