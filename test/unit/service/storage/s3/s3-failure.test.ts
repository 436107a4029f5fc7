import { describe, expect, it } from 'vitest';
import { putFailure } from '../../../../../src/service/storage/buckets/put-failure.ts';
import type { PutOptions } from '../../../../../src/service/storage/objects/bucket.ts';
import { isStoreFailure, s3Failure } from '../../../../../src/service/storage/s3/s3-failure.ts';

/** An error as the SDK throws it. */
function answered(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
}

describe('an error of a store', () => {
  it.each([
    ['NoSuchBucket', 404, 'no-bucket'],
    ['InvalidAccessKeyId', 403, 'unknown-key'],
    ['SignatureDoesNotMatch', 403, 'wrong-secret'],
    ['AccessDenied', 403, 'get-denied'],
    ['Forbidden', 403, 'get-denied'],
    ['PermanentRedirect', 301, 'wrong-region'],
    ['AuthorizationHeaderMalformed', 400, 'wrong-region'],
    ['PreconditionFailed', 412, 'exists'],
    ['KeyTooLongError', 400, 'bad-key'],
    ['InvalidStorageClass', 400, 'bad-storage-class'],
    ['AccessControlListNotSupported', 400, 'bad-acl'],
    ['KMS.NotFoundException', 400, 'bad-encryption'],
    ['SomethingNew', 409, 'refused'],
    ['SlowDown', 503, 'unreachable'],
    ['InternalError', 500, 'unreachable'],
    ['SyntaxError', 200, 'bad-endpoint'],
  ])('%s with %i is %s', (name, status, kind) => {
    expect(s3Failure(answered(name, status), 'get-denied')).toMatchObject({ kind });
    expect(isStoreFailure(answered(name, status))).toBe(true);
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s means that it cannot be reached',
    (code) => {
      const error = Object.assign(new Error(code), { code });
      expect(s3Failure(error, 'get-denied')).toMatchObject({ kind: 'unreachable' });
    },
  );

  it('is not what the store did not say', () => {
    const broken = Object.assign(new Error('the source broke'), { code: 'EIO' });
    expect(s3Failure(broken, 'put-denied')).toBe(broken);
    expect(isStoreFailure(broken)).toBe(false);
  });
});

describe('a put that is refused as invalid', () => {
  const kindOf = (name: string, options: Omit<PutOptions, 'overwrite'>): unknown =>
    (putFailure(answered(name, 400), { overwrite: false, ...options }) as { kind?: string }).kind;

  it('is so for the most unusual thing that was asked', () => {
    const serverSideEncryption = 'AES256';
    const all = { serverSideEncryption, cannedAcl: 'private', storageClass: 'GLACIER' };
    expect(kindOf('InvalidArgument', all)).toBe('bad-storage-class');
    expect(kindOf('NotImplemented', { serverSideEncryption, cannedAcl: 'private' })).toBe('bad-encryption');
    expect(kindOf('InvalidArgument', { serverSideEncryption: null, cannedAcl: 'x' })).toBe('bad-acl');
    expect(kindOf('InvalidArgument', {})).toBe('refused');
  });

  it("is about the encryption key when the account's own is known", () => {
    expect(kindOf('InvalidAccessKeyId', { serverSideEncryption: 'cloud:kms', kmsKeyId: 'k' })).toBe(
      'bad-encryption',
    );
    expect(kindOf('InvalidAccessKeyId', {})).toBe('unknown-key');
  });
});
