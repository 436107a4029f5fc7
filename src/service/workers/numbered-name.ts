import type { Store } from '../store/store.ts';

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
    const candidates = number === 0 ? names : names.map((name) => `_${number}_${name}`);
    if (await allFree(store, folderId, candidates)) return candidates;
  }
}

async function allFree(store: Store, folderId: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) if ((await store.files.findChild(folderId, name)) !== undefined) return false;
  return true;
}
