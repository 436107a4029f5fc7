import type { EntryRecord } from '../model.ts';
import type { ServerTime } from '../transport/server-time.ts';

/** Tells an entry made by the call that begins now from one that had the name before. */
export function createdFromNowOn(serverTime: ServerTime): (entry: EntryRecord) => boolean {
  const sinceMs = serverTime.fromNowOn();
  return (entry) => (entry.createdMs ?? 0) >= sinceMs;
}
