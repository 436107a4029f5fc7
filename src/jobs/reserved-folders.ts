/**
 * The platform keeps folder names that begin with `__` for itself, and has a few such folders (`__logs`). A folder that a
 * user calls so, as `__pycache__`, is kept there as `svc~__pycache__`.
 */
import { RESERVED_FOLDER_PREFIX } from '../contract/limits.ts';

const MARK = 'svc~';

interface Entry {
  readonly kind: 'file' | 'folder';
  readonly name: string;
}

/** The name of such a folder on the platform, unless the platform itself has made it. */
export function keptFolderName(name: string): string {
  return name.startsWith(RESERVED_FOLDER_PREFIX) ? MARK + name : name;
}

/** The name of a folder that is kept under this one; undefined for all others. */
export function reservedNameOf({ kind, name }: Entry): string | undefined {
  return kind === 'folder' && name.startsWith(MARK + RESERVED_FOLDER_PREFIX)
    ? name.slice(MARK.length)
    : undefined;
}

/** Those among the entries of one folder that have the name of a kept folder: it goes by its own name then. */
export function reservedNamesIn(entries: Iterable<Entry>): ReadonlySet<string> {
  const names = [...entries].map(({ name }) => name);
  return new Set(names.filter((name) => name.startsWith(RESERVED_FOLDER_PREFIX)));
}
