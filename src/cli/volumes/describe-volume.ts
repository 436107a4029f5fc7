import type { VolumeRecord } from '../../api/model.ts';
import { timeOf } from '../projects/describe-project.ts';

/** A volume as `--json` prints it. */
export function describeVolume(volume: VolumeRecord): object {
  return {
    id: volume.id,
    description: volume.description,
    access_mode: volume.accessMode,
    active: volume.active,
    type: volume.serviceType,
    bucket: volume.bucket,
    prefix: volume.prefix,
    endpoint: volume.endpoint,
    access_key_id: volume.accessKeyId,
    created_on: timeOf(volume.createdMs),
    modified_on: timeOf(volume.modifiedMs),
  };
}

/** Lines for a person. */
export function volumeLines(volume: VolumeRecord): readonly (readonly [string, string])[] {
  return [
    ['volume', volume.id],
    ['description', volume.description],
    ['access', volume.accessMode === 'RW' ? 'read and write' : 'read only'],
    ['active', volume.active ? 'yes' : 'no: svcfs volume activate makes it so'],
    ['type', volume.serviceType],
    ['bucket', volume.bucket],
    ['prefix', volume.prefix],
    ['endpoint', volume.endpoint ?? ''],
    ['access key', volume.accessKeyId ?? ''],
    ['created', timeOf(volume.createdMs) ?? ''],
    ['modified', timeOf(volume.modifiedMs) ?? ''],
  ];
}
