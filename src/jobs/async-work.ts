import type { Place } from '../api/api.ts';
import type { AsyncFileJob, EntryRecord } from '../api/model.ts';

export interface AsyncWork {
  readonly kind: AsyncFileJob['kind'];
  /** Ids of files or folders, at most 100. */
  readonly files: readonly string[];
  /** Where to; a deletion goes nowhere. */
  readonly to?: Place;
}

/** Whether an entry can be what a move or copy made: a moved file keeps its id, all else has the name asked for. */
export function isResult(entry: EntryRecord, { kind, files, to }: AsyncWork): boolean {
  if (!to || entry.parent !== to.parent) {
    return false;
  }
  return kind === 'move' && entry.kind === 'file' ? files.includes(entry.id) : isNamed(entry.name, to.name);
}

/** Where the name was taken the platform has put a number before it. */
function isNamed(name: string, asked: string): boolean {
  return name === asked || (name.endsWith(`_${asked}`) && /^_\d+_$/.test(name.slice(0, -asked.length)));
}
