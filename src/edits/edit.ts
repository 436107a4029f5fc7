/** Changes of the metadata and tags of files that are on the platform already, made here and not sent yet. */
import type { EntryRecord, FileRecord } from '../api/model.ts';
import type { FileChange, OwedChange } from '../content/ports.ts';

export interface Edit extends OwedChange {
  /** Of the edit. */
  readonly id: string;
  /** The path of the file in the mount, when it was made. */
  readonly label: string;
  readonly atMs: number;
}

const NOTHING: FileChange = { metadata: {}, dropped: [], tags: undefined };

/** The changes as one, the first ones first. */
export function joined(changes: readonly FileChange[]): FileChange {
  return changes.reduce(join, NOTHING);
}

function join(first: FileChange, then: FileChange): FileChange {
  const metadata = { ...without(first.metadata, then.dropped), ...then.metadata };
  const dropped = new Set([...first.dropped, ...then.dropped]);
  return {
    metadata,
    dropped: [...dropped].filter((key) => !Object.hasOwn(metadata, key)),
    tags: then.tags ?? first.tags,
  };
}

type Described = Pick<FileRecord, 'metadata' | 'tags'>;

/** The pairs and tags of a file after the change. */
export function changedBy({ metadata, tags }: Described, change: FileChange): Described {
  return {
    metadata: { ...without(metadata, change.dropped), ...change.metadata },
    tags: change.tags ?? tags,
  };
}

/** The entry as it is after the edits of it. */
export function shownWith<T extends EntryRecord>(entry: T, edits: readonly Edit[]): T {
  if (entry.kind !== 'file') return entry;
  return { ...entry, ...changedBy(entry, joined(edits.map(({ change }) => change))) };
}

function without(
  pairs: Readonly<Record<string, string>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  if (keys.length === 0) return pairs;
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => !keys.includes(key)));
}
