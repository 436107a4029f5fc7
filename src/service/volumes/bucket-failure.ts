import type { ErrorCode } from '../../contract/error-codes.ts';
import { ServiceError } from '../http/service-error.ts';
import { BucketError, type BucketErrorKind } from '../storage/objects/bucket-error.ts';

const CODES: Readonly<Record<BucketErrorKind, ErrorCode>> = {
  'no-bucket': 9200,
  'unknown-key': 9201,
  'wrong-secret': 9202,
  'role-refused': 9203,
  'list-denied': 9204,
  'get-denied': 9205,
  'put-denied': 9206,
  refused: 9207,
  'wrong-region': 9208,
  'bad-endpoint': 9209,
  exists: 9107,
  'bad-key': 9011,
  'bad-acl': 9022,
  'bad-encryption': 9023,
  'bad-storage-class': 9024,
  unreachable: 9100,
};

/** A store's refusal as the API tells it; anything else unchanged. */
export function bucketFailure(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error;
  const sentence = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
  return new ServiceError(CODES[error.kind], sentence, { cause: error });
}

/** For the end of a promise: `bucket.list(query).catch(refuseAsService)`. */
export function refuseAsService(error: unknown): never {
  throw bucketFailure(error);
}
