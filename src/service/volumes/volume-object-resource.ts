import type { VolumeContents, VolumeObject, VolumePrefix } from '../../contract/volume.ts';
import type { RequestView } from '../http/request-view.ts';
import { apiTime, storedTime } from '../store/stored-time.ts';
import type { Volume } from './volume-access.ts';
import type { VolumeLevel, VolumeObjectFound } from './volume-contents.ts';
import { locationOf } from './volume-key.ts';

export function volumeObject(
  { volume, location, object }: VolumeObjectFound,
  view: RequestView,
): VolumeObject {
  const { row, address } = volume;
  return {
    href: `${hrefOf(volume, view)}/object?location=${encodeURIComponent(location)}`,
    location,
    volume: row.id,
    type: address.type,
    metadata: {
      size: object.sizeBytes,
      etag: object.etag,
      updated: apiTime(storedTime(object.updatedMs)),
      contentType: object.contentType,
      storageClass: object.storageClass,
      bucket: address.bucket,
      name: object.key,
    },
  };
}

/** Objects and prefixes of a level, as the API shows them; the rest of the answer is about the request. */
export function volumeLevel(
  { volume, objects, prefixes }: VolumeLevel,
  view: RequestView,
): Pick<VolumeContents, 'items' | 'prefixes'> {
  const own = volume.address.prefix;
  return {
    items: objects.map((object) =>
      volumeObject({ volume, location: locationOf(own, object.key), object }, view),
    ),
    prefixes: prefixes.map((prefix) => volumePrefix(volume, locationOf(own, prefix), view)),
  };
}

function volumePrefix(volume: Volume, prefix: string, view: RequestView): VolumePrefix {
  const href = `${hrefOf(volume, view)}/list?prefix=${encodeURIComponent(prefix)}`;
  return { href, prefix, volume: volume.row.id };
}

function hrefOf(volume: Volume, view: RequestView): string {
  return view.href(`/storage/volumes/${volume.row.id}`);
}
