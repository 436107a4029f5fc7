import type { AnyPlace, PrefixPlace } from '../../places/any-place.ts';
import { PRIORITY } from '../../places/asking.ts';
import { listFolder } from '../../places/list-files.ts';
import { placeIn } from '../../places/places.ts';
import { withoutTrash } from '../../places/trash-folder.ts';
import type { PlatformApi } from '../calls/calls.ts';

export interface ListingPlaces {
  readonly api: PlatformApi;
  readonly signal: AbortSignal;
}

/** What is in a folder, or at a level of a volume: 100 entries a request. Nothing for what is none. */
export async function entriesOf(place: AnyPlace, asking: ListingPlaces): Promise<readonly AnyPlace[]> {
  if (place.kind === 'folder') {
    const entries = await listFolder(place, asking);
    return withoutTrash(
      place,
      entries.map((entry) => placeIn(place, entry)),
    );
  }
  return place.kind === 'prefix' ? levelOf(place, asking) : [];
}

async function levelOf(
  { volume, prefix }: PrefixPlace,
  { api, signal }: ListingPlaces,
): Promise<readonly AnyPlace[]> {
  const found: AnyPlace[] = [];
  let continuation: string | undefined;
  do {
    const page = await api.volumes.contents(volume, { prefix, continuation }, { signal, priority: PRIORITY });
    for (const below of page.prefixes) found.push({ kind: 'prefix', volume, prefix: below });
    for (const record of page.objects)
      found.push({ kind: 'object', volume, location: record.location, record });
    ({ continuation } = page);
  } while (continuation !== undefined);
  return found;
}
