/**
 * The meaning of a store's refusals, in the words of the client's own errors: who uses the API need not know which way a
 * volume is reached. The names are those of the S3 API ("Error responses" in its reference).
 */
import { connectionFailureText } from '../../lib/connection-failure.ts';
import { ApiError, TransportError } from '../errors.ts';

/** The object or bucket that was asked for, and by which keys. */
export interface BucketSubject {
  readonly volume: string;
  readonly bucket: string;
  /** Undefined: of the bucket as a whole. */
  readonly key: string | undefined;
  /** Where a person finds the keys. */
  readonly place: string;
  /** The right that the keys need, such as `s3:GetObject`. */
  readonly right: string;
}

/** Codes of the platform that mean the same, where the client goes by one. */
const UPLOAD_GONE = 8003;
const PART_REFUSED = 8014;
const DAMAGED = 8016;

const KEYS_UNKNOWN: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'the store does not know the access key',
  SignatureDoesNotMatch: 'the secret key is not the one of the access key',
  ExpiredToken: 'the session of the keys has ended',
  TokenRefreshRequired: 'the session of the keys has ended',
  InvalidToken: 'the session token is none of the store',
  CredentialsProviderError: 'the AWS profile gives no keys',
};

const OTHER_PLACE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket at that store',
  InvalidBucketName: 'the store takes no such name for a bucket',
  PermanentRedirect: 'the bucket is in another region',
  AuthorizationHeaderMalformed: 'the bucket is in another region',
  IllegalLocationConstraintException: 'the bucket is in another region',
};

/** `code` of the platform where the status does not say enough. */
const OTHERS: Readonly<Record<string, readonly [status: number, reason: string, code?: number]>> = {
  NoSuchKey: [404, 'there is no such object'],
  NotFound: [404, 'there is no such object'],
  NoSuchUpload: [404, 'the store does not know the upload any more', UPLOAD_GONE],
  InvalidPart: [400, 'the store lacks a part, or has another one', PART_REFUSED],
  InvalidPartOrder: [400, 'the store takes the parts in another order', PART_REFUSED],
  BadDigest: [400, 'other bytes arrived than those that were sent', DAMAGED],
  NotImplemented: [501, 'the store cannot do what was asked'],
  PreconditionFailed: [412, 'another client has put an object there meanwhile'],
  ConditionalRequestConflict: [412, 'another client is just putting an object there'],
  KeyTooLongError: [400, 'the key is too long for the store'],
  EntityTooLarge: [400, 'the object is too large for the store'],
  QuotaExceeded: [507, 'the bucket has no room'],
  XMinioStorageFull: [507, 'the store has no room'],
  InvalidObjectState: [403, 'the object is archived, and has to be restored first'],
};

const WRONG_TIME = new Set(['RequestTimeTooSkewed', 'RequestExpired']);

/** The error of a failed request of the SDK. What is none of the store (an abort) passes unchanged. */
export function bucketFailure(error: unknown, subject: BucketSubject): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error;
  if (error instanceof ApiError || error instanceof TransportError) return error;
  const name = error.name;
  const status = statusOf(error);
  const refused = (as: number, reason: string, remedy: string, code = 0): ApiError =>
    new ApiError(
      { status: as, code, message: `${nameOf(subject)}: ${reason}` },
      { call: subject.right, cause: error, remedy },
    );
  const { place, right } = subject;
  if (KEYS_UNKNOWN[name] !== undefined) {
    const told = name === 'CredentialsProviderError' ? ` (${error.message})` : '';
    return refused(403, KEYS_UNKNOWN[name] + told, `Look at the keys in ${place}, and mount again.`);
  }
  if (OTHER_PLACE[name] !== undefined) {
    const remedy = `Look at the endpoint and region in ${place}, and at the bucket of volume ${subject.volume}; then mount again.`;
    return refused(400, OTHER_PLACE[name], remedy);
  }
  const other = OTHERS[name];
  if (other !== undefined) return refused(other[0], other[1], '', other[2]);
  if (WRONG_TIME.has(name)) {
    return refused(403, 'the store has another time than this machine', 'Set the clock of this machine.');
  }
  if (status === 403 || status === 401) {
    const remedy = `The keys in ${place} need the right ${right} there: have the owner of the bucket allow it, or give other keys.`;
    return refused(403, 'the store refuses access', remedy);
  }
  if (status === 404) return refused(404, 'there is no such object', '');
  if (status === 412) return refused(412, OTHERS['PreconditionFailed']?.[1] ?? '', '');
  if (status !== undefined && status >= 400 && status < 500)
    return refused(400, `the store refuses the request (${name}: ${error.message})`, '');
  return unanswered(error, subject, status);
}

/** As the platform says of an upload that is no more. Some stores say only that there is no such object. */
export function uploadGone(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  const { call, message } = error;
  throw new ApiError({ status: 404, code: UPLOAD_GONE, message }, { call, cause: error });
}

/** Whether another object was there than the condition of a put allows. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 412 || error.status === 409);
}

/** Whether the store has no such operation, or not with these headers. */
export function isUnknownToStore(error: unknown): boolean {
  return error instanceof ApiError && error.status === 501;
}

/** Whether the same request may succeed a little later. */
export function mayPass(error: unknown): boolean {
  return error instanceof TransportError && error.answer !== 'foreign';
}

/** Whether the store says that something is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && (statusOf(error) === 404 || error.name === 'NoSuchKey');
}

function unanswered(error: Error, subject: BucketSubject, status: number | undefined): TransportError {
  const call = subject.right;
  const name = nameOf(subject);
  if (status !== undefined && status >= 500)
    return new TransportError(`${name}: the store fails (${error.name})`, {
      call,
      cause: error,
      answer: 'failed',
    });
  if (status !== undefined)
    return new TransportError(`${name}: what answers at the endpoint is no S3 store`, {
      call,
      cause: error,
      answer: 'foreign',
    });
  return new TransportError(`${name}: ${connectionFailureText(error)}`, { call, cause: error });
}

function nameOf({ volume, bucket, key }: BucketSubject): string {
  const object = key === undefined ? '' : `, key ${key}`;
  return `bucket ${bucket}${object} (volume ${volume})`;
}

function statusOf(error: Error): number | undefined {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}
