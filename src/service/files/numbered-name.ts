import { FILE_NAME_LENGTH_MAX } from '../../contract/limits.ts';
import type { Store } from '../store/store.ts';
import { fileBatchesIn } from './tables/file-batch-table.ts';

/** The name itself where it is free in the folder, else with the lowest number before it that makes it so. */
export async function freeNumberedName(store: Store, folderId: string, name: string): Promise<string> {
  const [free = name] = await freeNumberedNames(store, folderId, [name]);
  return free;
}

/** The same for names that belong together: one number makes all of them free. */
export async function freeNumberedNames(
  store: Store,
  folderId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  for (let number = 0; ; number++) {
    const candidates = names.map((name) => numbered(name, number));
    const taken = await fileBatchesIn(store).takenNames(folderId, candidates);
    if (taken.size === 0) return candidates;
  }
}

/** The same for different names that are nothing to each other: each gets its own lowest number. */
export async function freeNameOfEach(
  store: Store,
  folderId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = new Set<string>();
  const free = new Map<string, string>();
  for (let number = 0; free.size < names.length; number++) {
    const candidates = new Map<string, string>();
    for (const name of names) if (!free.has(name)) candidates.set(numbered(name, number), name);
    const taken = await fileBatchesIn(store).takenNames(folderId, [...candidates.keys()]);
    for (const [candidate, name] of candidates) {
      if (taken.has(candidate) || given.has(candidate)) continue;
      given.add(candidate);
      free.set(name, candidate);
    }
  }
  return free;
}

/** With the number 0 the name itself. Of a name that would be too long the end is kept, which tells what kind of file it is. */
export function numbered(name: string, number: number): string {
  if (number === 0) return name;
  const prefix = `_${number}_`;
  return prefix + [...name].slice(prefix.length - FILE_NAME_LENGTH_MAX).join('');
}
