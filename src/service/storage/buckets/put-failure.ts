import type { PutOptions } from '../objects/bucket.ts';
import { BucketError } from '../objects/bucket-error.ts';
import { isNamed, s3Failure } from '../s3/s3-failure.ts';

/**
 * The reason to refuse a put. Stores have names of their own for a storage class or an encryption that they lack. Some
 * say only that an argument is invalid: the reason is then the most unusual of the given ones.
 */
export function putFailure(error: unknown, options: PutOptions): unknown {
  const { storageClass, serverSideEncryption, kmsKeyId, cannedAcl } = options;
  const cause = { cause: error };
  // Ceph's word for a key of its key service. The account's own was good for the questions before the put.
  const unknownKey = isNamed(error, 'InvalidAccessKeyId') && Boolean(kmsKeyId);
  const invalid = isNamed(error, 'InvalidArgument', 'InvalidRequest', 'NotImplemented');
  if (invalid && storageClass !== undefined) {
    return new BucketError('bad-storage-class', `the store has no storage class ${storageClass}`, cause);
  }
  if (unknownKey || (invalid && Boolean(serverSideEncryption))) {
    return new BucketError('bad-encryption', 'the store cannot encrypt as asked', cause);
  }
  if (invalid && cannedAcl) {
    return new BucketError('bad-acl', `the store does not take the ACL ${cannedAcl}`, cause);
  }
  return s3Failure(error, 'put-denied');
}
