import type { FileRecord } from '../api/model.ts';

/** Whether the content of a file is that object of a volume: the outcome of an import or export of it. */
export function isAliasOf(
  { storage }: FileRecord,
  { volume, location }: { readonly volume: string; readonly location: string },
): boolean {
  return storage.kind === 'volume' && storage.volume === volume && storage.location === location;
}
