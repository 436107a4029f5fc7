import type { Store } from '../store/store.ts';

/** The name itself where it is free in the folder, else with the lowest number before it that makes it so. */
export async function freeNumberedName(store: Store, folderId: string, name: string): Promise<string> {
  let candidate = name;
  for (let number = 1; (await store.files.findChild(folderId, candidate)) !== undefined; number++) {
    candidate = `_${number}_${name}`;
  }
  return candidate;
}
