/** The front door: the parts of volumes that other subjects may use. */
export { refuseAsService } from './bucket-failure.ts';
export { checkProperties, exportProperties } from './export-properties.ts';
export {
  activeVolume,
  addressOfVolume,
  bucketOf,
  unchangedVolume,
  usableVolume,
  type Volume,
  volumeFor,
} from './volume-access.ts';
export { objectPlace } from './volume-contents.ts';
export type { VolumeAddress } from './volume-fields.ts';
export { locationOf, volumeKey, volumeKeyPrefix } from './volume-key.ts';
export { type VolumeMemberRow, volumeMembersIn } from './volume-member-table.ts';
export { volumeObjectAddress } from './volume-object-address.ts';
export { VolumePath, volumeIdOf } from './volume-path.ts';
export { editedPermissions } from './volume-permissions.ts';
export { volumeMember } from './volume-resource.ts';
export type { HasVolumeSecrets } from './volume-secrets.ts';
export { volumesIn } from './volume-table.ts';
