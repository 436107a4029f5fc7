import type { EntryRecord } from '../model.ts';
import type { ServerTime } from '../transport/server-time.ts';

/** Tells an entry made by the call that begins now from one that had the name before. Times are whole seconds. */
export function createdFromNowOn(serverTime: ServerTime): (entry: EntryRecord) => boolean {
  const sinceMs = Math.floor(serverTime.now() / 1000) * 1000 - 1000;
  return (entry) => (entry.createdMs ?? 0) >= sinceMs;
}
