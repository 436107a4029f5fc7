import type { VolumeMember, VolumeResource } from '../../contract/volume.ts';
import type { RequestView } from '../http/request-view.ts';
import { apiTime } from '../store/stored-time.ts';
import { addressOfVolume } from './volume-access.ts';
import type { VolumeMemberRow } from './volume-member-table.ts';
import type { VolumeRow } from './volume-table.ts';

/** A volume as the API shows it: without the secret, which is not even read here. */
export function volumeResource(volume: VolumeRow, view: RequestView): VolumeResource {
  const { type, bucket, prefix, endpoint, credentials, properties } = addressOfVolume(volume);
  return {
    href: view.href(`/storage/volumes/${volume.id}`),
    id: volume.id,
    name: volume.name,
    description: volume.description,
    access_mode: volume.access_mode,
    service: {
      type: type.toUpperCase(),
      bucket,
      prefix,
      endpoint,
      credentials,
      properties: shown(properties),
    },
    created_on: apiTime(volume.created_on),
    modified_on: apiTime(volume.modified_on),
    active: volume.active === 1,
  };
}

export function volumeMember(
  volumeId: string,
  { username, email, permissions }: VolumeMemberRow,
  view: RequestView,
): VolumeMember {
  const href = view.href(`/storage/volumes/${volumeId}/members/${encodeURIComponent(username)}`);
  return { href, id: username, username, email, type: 'USER', permissions };
}

function shown(properties: object): Record<string, string | null> {
  return { sse_algorithm: '', ...properties };
}
