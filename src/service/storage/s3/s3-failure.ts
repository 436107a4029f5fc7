/**
 * The meaning of errors of the SDK, in one table. The names are those of the S3 API ("Error responses" in its
 * reference); stores other than AWS use the same ones.
 */
import { BucketError, type BucketErrorKind } from '../objects/bucket-error.ts';

interface S3Answer {
  readonly name: string;
  readonly status: number | undefined;
}

const REASONS: Readonly<Record<string, readonly [BucketErrorKind, string]>> = {
  NoSuchBucket: ['no-bucket', 'there is no such bucket'],
  InvalidBucketName: ['no-bucket', 'the store takes no such name for a bucket'],
  InvalidAccessKeyId: ['unknown-key', 'the store does not know that access key'],
  SignatureDoesNotMatch: ['wrong-secret', 'the secret key is not the one of that access key'],
  PermanentRedirect: ['wrong-region', 'the bucket is in another region than the endpoint'],
  TemporaryRedirect: ['wrong-region', 'the bucket is in another region than the endpoint'],
  AuthorizationHeaderMalformed: ['wrong-region', 'the bucket is in another region than the endpoint'],
  IllegalLocationConstraintException: ['wrong-region', 'the bucket is in another region than the endpoint'],
  PreconditionFailed: ['exists', 'there is an object under that key'],
  ConditionalRequestConflict: ['exists', 'an object is just being put under that key'],
  KeyTooLongError: ['bad-key', 'the key is too long for the store'],
  InvalidObjectName: ['bad-key', 'the store takes no such key'],
  XMinioInvalidObjectName: ['bad-key', 'the store takes no such key'],
  InvalidStorageClass: ['bad-storage-class', 'the store has no such storage class'],
  AccessControlListNotSupported: ['bad-acl', 'the bucket takes no ACLs'],
  InvalidEncryptionAlgorithmError: ['bad-encryption', 'the store does not encrypt that way'],
  'KMS.NotFoundException': ['bad-encryption', 'the store does not find the encryption key'],
  'KMS.DisabledException': ['bad-encryption', 'the encryption key is disabled'],
  'KMS.KMSInvalidStateException': ['bad-encryption', 'the encryption key cannot be used now'],
  NotImplemented: ['refused', 'the store cannot do what was asked'],
  EntityTooLarge: ['refused', 'the object is too large for the store'],
};

/**
 * The error codes of connecting and talking. Not those of files: a source that cannot be read is no fault of the store.
 */
const CONNECTION_CODES = [
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
];

/**
 * The error of a failed call to a store. An error that is not the store's (an abort, a broken source) passes unchanged.
 */
export function s3Failure(error: unknown, denied: BucketErrorKind): unknown {
  if (error instanceof BucketError || !(error instanceof Error)) return error;
  const cause = { cause: error };
  const { name, status } = s3Answer(error);
  const reason = REASONS[name];
  if (reason !== undefined) return new BucketError(reason[0], reason[1], cause);
  if (isDenied(error)) return new BucketError(denied, 'the store refuses access', cause);
  if (isUnreachable(error)) return new BucketError('unreachable', UNREACHABLE, cause);
  if (status === undefined) return error;
  if (status >= 500) return new BucketError('unreachable', `the store fails (${name})`, cause);
  if (status >= 400) return new BucketError('refused', `the store refuses the request (${name})`, cause);
  return new BucketError('bad-endpoint', 'what answers at the endpoint is no S3 store', cause);
}

/** One sentence for all of them: a user who may not go to an address must not learn what is there. */
const UNREACHABLE =
  "the store cannot be reached, or does not answer; one on the service's own networks is for the operator to allow (--allow-endpoint)";

/** Names of the SDK for an error whose answer is not a store's. */
const FOREIGN_ANSWERS = ['', 'Unknown', 'UnknownError', 'NotFound', 'SyntaxError', 'TypeError', 'Error'];

/**
 * Whether an error, of a request that has a body in its answer, shows that a store is there and what it says. The answer
 * must look the same for everything that was never a store: a closed port, a port with another server, a name that does
 * not exist.
 */
export function isStoresAnswer(error: unknown): boolean {
  if (!(error instanceof BucketError)) return true;
  // Roles are given by the service that the operator names, not at the volume's endpoint.
  if (error.kind === 'role-refused') return true;
  if (!(error.cause instanceof Error)) return true;
  const { name, status } = s3Answer(error.cause);
  return status !== undefined && !FOREIGN_ANSWERS.includes(name);
}

/** The one answer for all of those. */
export function noStore(cause: unknown): BucketError {
  return new BucketError('unreachable', UNREACHABLE, { cause });
}

/** For the end of a promise. */
export function refuseAs(denied: BucketErrorKind): (error: unknown) => never {
  return (error) => {
    throw s3Failure(error, denied);
  };
}

/** Whether the credentials are good but lack a right. */
export function isDenied(error: unknown): boolean {
  const { name, status } = s3Answer(error);
  return status === 403 && !(name in REASONS);
}

export function isNamed(error: unknown, ...names: string[]): boolean {
  return names.includes(s3Answer(error).name);
}

/** Whether a store is what failed, and no mistake of ours. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof BucketError || (error instanceof Error && '$metadata' in error);
}

export function isAbsent(error: unknown): boolean {
  return s3Answer(error).status === 404;
}

function isUnreachable(error: Error & { readonly code?: unknown }): boolean {
  const { name, code } = error;
  if (name === 'TimeoutError' || name === 'CredentialsProviderError') return true;
  return typeof code === 'string' && (CONNECTION_CODES.includes(code) || /CERT|SSL|TLS|^HPE_/.test(code));
}

export function s3Answer(error: unknown): S3Answer {
  const { name = '', $metadata } = error as {
    readonly name?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return { name, status: $metadata?.httpStatusCode };
}
