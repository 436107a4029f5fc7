/** The usual synthetic entries. */
import type { Awaitable } from '../file-system.ts';
import type {
  SyntheticDirectory,
  SyntheticEntry,
  SyntheticFile,
  SyntheticLink,
  SyntheticName,
} from '../model/synthetic.ts';

type DirectoryOptions = Omit<SyntheticDirectory, 'kind' | 'lookup' | 'list' | 'entriesTtlMs'> & {
  /** Default: for ever. */
  readonly entriesTtlMs?: number;
};

/** A directory whose names never change, each with its entry. */
export function fixedEntries(
  entries: Readonly<Record<string, SyntheticEntry>>,
  options: DirectoryOptions = {},
): SyntheticDirectory {
  return {
    entriesTtlMs: Number.POSITIVE_INFINITY,
    ...options,
    kind: 'directory',
    lookup: (name) => (Object.hasOwn(entries, name) ? entries[name] : undefined),
    list: () => ({ names: namesOf(entries) }),
  };
}

/** A directory of few names, all of which are asked for at once. */
export function entriesOf(
  read: (signal: AbortSignal) => Awaitable<Readonly<Record<string, SyntheticEntry>>>,
  options: DirectoryOptions & { readonly entriesTtlMs: number },
): SyntheticDirectory {
  return {
    ...options,
    kind: 'directory',
    lookup: async (name, signal) => {
      const entries = await read(signal);
      return Object.hasOwn(entries, name) ? entries[name] : undefined;
    },
    list: async (_, signal) => ({ names: namesOf(await read(signal)) }),
  };
}

export function file(
  render: SyntheticFile['render'],
  options: Omit<SyntheticFile, 'kind' | 'render'> = {},
): SyntheticFile {
  return { ...options, kind: 'file', render };
}

export function link(target: string, options: Omit<SyntheticLink, 'kind' | 'target'> = {}): SyntheticLink {
  return { ...options, kind: 'link', target };
}

/** As people read it, with the keys in their order. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function namesOf(entries: Readonly<Record<string, SyntheticEntry>>): readonly SyntheticName[] {
  return Object.entries(entries).map(([name, entry]) => ({ name, kind: entry.kind, entry }));
}
