import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { VolumeRecord } from '../model.ts';

/** The headers of an object that is put, copied or begun in parts: the three take the same. */
export type PutHeaders = Pick<
  PutObjectCommandInput,
  'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId' | 'ACL'
>;

/** The words of volumes for encryption by a key service, and S3's. */
const ENCRYPTIONS: Readonly<Record<string, PutHeaders['ServerSideEncryption']>> = {
  'cloud:kms': 'aws:kms',
  'aws:kms': 'aws:kms',
  AES256: 'AES256',
};

/** What the volume says of its objects; the bucket decides about the rest. The platform's own exports do the same. */
export function putHeaders({ properties }: VolumeRecord): PutHeaders {
  return {
    StorageClass: properties?.storageClass as PutHeaders['StorageClass'],
    ServerSideEncryption: ENCRYPTIONS[properties?.encryption ?? ''],
    SSEKMSKeyId: properties?.encryptionKey,
    ACL: properties?.acl as PutHeaders['ACL'],
  };
}
