import type { ExportProperties } from '../../contract/export-job.ts';
import { ServiceError } from '../http/service-error.ts';

/** The properties as a request or a volume gives them; a field left out or empty gives none. */
export type GivenProperties = { readonly [Property in keyof ExportProperties]?: string | null | undefined };

const DEFAULT_ENCRYPTION = 'AES256';
const KMS = 'cloud:kms';

const ENCRYPTIONS = [DEFAULT_ENCRYPTION, KMS];
const CANNED_ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
  'log-delivery-write',
];
const STORAGE_CLASSES = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
];

/** @throws ServiceError 9022 (ACL), 9023 (encryption), 9024 (storage class) */
export function checkProperties(given: GivenProperties): void {
  const encryption = none(given.sse_algorithm);
  if (encryption && !ENCRYPTIONS.includes(encryption)) throw new ServiceError(9023);
  if (given.cloud_canned_acl && !CANNED_ACLS.includes(given.cloud_canned_acl)) throw new ServiceError(9022);
  if (given.cloud_storage_class && !STORAGE_CLASSES.includes(given.cloud_storage_class)) {
    throw new ServiceError(9024);
  }
}

/**
 * With which properties an export writes its object: the export's own, else the volume's, else AES256. No encryption is
 * asked for by JSON null and by the word `null` alike.
 */
export function exportProperties(own: GivenProperties, volume: GivenProperties): ExportProperties {
  const encryption = none(firstGiven(own.sse_algorithm, volume.sse_algorithm, DEFAULT_ENCRYPTION));
  const kmsKey = firstGiven(own.sse_cloud_kms_key_id ?? undefined, volume.sse_cloud_kms_key_id, null);
  return {
    sse_algorithm: encryption ?? null,
    sse_cloud_kms_key_id: encryption === KMS ? (kmsKey ?? null) : null,
    cloud_canned_acl: firstGiven(own.cloud_canned_acl ?? undefined, volume.cloud_canned_acl, null) ?? null,
    cloud_storage_class:
      firstGiven(own.cloud_storage_class ?? undefined, volume.cloud_storage_class, null) ?? null,
  };
}

type Given = string | null | undefined;

/** The first that says something; null does. */
function firstGiven(...values: readonly Given[]): Given {
  return values.find((value) => value !== undefined && value !== '');
}

function none(algorithm: Given): Given {
  return algorithm === 'null' ? null : algorithm;
}
