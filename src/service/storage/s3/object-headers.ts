import type {
  ObjectCannedACL,
  PutObjectCommandInput,
  ServerSideEncryption,
  StorageClass,
} from '@aws-sdk/client-s3';
import type { PutOptions } from '../objects/bucket.ts';
import { DEFAULT_CONTENT_TYPE } from '../objects/bucket.ts';

/** The headers of an object that is put, copied or begun in parts: the three take the same. */
export type ObjectHeaders = Pick<
  PutObjectCommandInput,
  'ContentType' | 'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId' | 'ACL' | 'Metadata' | 'IfNoneMatch'
>;

/** The object's own metadata that names its writer. */
export const WRITER = 'svcfs-writer';

/** The contract's word for encryption by a key service, and S3's. */
const ENCRYPTIONS: Readonly<Record<string, ServerSideEncryption>> = {
  'cloud:kms': 'aws:kms',
  AES256: 'AES256',
};

/** The bucket decides about headers that are not asked for. */
export function objectHeaders(options: PutOptions): ObjectHeaders {
  const { contentType = DEFAULT_CONTENT_TYPE, storageClass, serverSideEncryption, kmsKeyId } = options;
  const { cannedAcl, writer, overwrite } = options;
  return {
    ContentType: contentType,
    StorageClass: storageClass as StorageClass | undefined,
    ServerSideEncryption: ENCRYPTIONS[serverSideEncryption ?? ''],
    SSEKMSKeyId: kmsKeyId ?? undefined,
    ACL: (cannedAcl ?? undefined) as ObjectCannedACL | undefined,
    Metadata: writer === undefined ? undefined : { [WRITER]: writer },
    IfNoneMatch: overwrite ? undefined : '*',
  };
}
