/**
 * From any failure to the errno a program gets: the one place where this is decided. Codes of the platform are
 * looked up first, then the HTTP status (undocumented-calls, sections 2 and 5).
 */
import type { ApiError, StorageError, TransportError } from '../../api/errors.ts';
import type { Failure } from '../../api/model.ts';
import type { ContentError } from '../../content/ports.ts';
import type { JobError, TransferRefused } from '../../jobs/job-error.ts';
import type { Errno } from '../../lib/errno.ts';
import type { UnsettledError } from '../../lib/pages-in-order.ts';
import type { FsError } from './fs-error.ts';

/** Every error of ours, told apart by `name`: this folder sees the types of others, not their classes. */
export type KnownError =
  | FsError
  | ApiError
  | TransportError
  | StorageError
  | ContentError
  | JobError
  | TransferRefused
  | UnsettledError;

/** The HTTP status of a full disk (RFC 4918, 11.5). */
const INSUFFICIENT_STORAGE = 507;

const NAMES: ReadonlySet<string> = new Set<KnownError['name']>([
  'FsError',
  'ApiError',
  'TransportError',
  'StorageError',
  'ContentError',
  'JobError',
  'TransferRefused',
  'UnsettledError',
]);

export function errnoOf(error: unknown): Errno {
  if (!isKnownError(error)) return isAbort(error) ? 'EINTR' : 'EIO';
  switch (error.name) {
    case 'FsError':
      return error.errno;
    case 'ApiError':
      return errnoOfFailure(error);
    case 'JobError':
      return errnoOfFailure(error.failure);
    case 'TransportError':
      return 'EIO';
    case 'StorageError':
      return error.status === INSUFFICIENT_STORAGE ? 'ENOSPC' : OF_STORAGE[error.kind];
    case 'ContentError':
      return OF_CONTENT[error.kind];
    case 'TransferRefused':
      return OF_REFUSAL[error.reason];
    case 'UnsettledError':
      return 'EAGAIN';
    default:
      return error satisfies never;
  }
}

/** Of the platform's error object. */
export function errnoOfFailure(failure: Pick<Failure, 'status' | 'code'>): Errno {
  return OF_CODE.get(failure.code) ?? errnoOfStatus(failure.status);
}

export function isKnownError(error: unknown): error is KnownError {
  return error instanceof Error && NAMES.has(error.name);
}

/** Nothing answered within the time of one caller: it may do so within that of another. */
export function endsWithTime(error: unknown): boolean {
  return isKnownError(error) && error.name === 'TransportError' && error.answer !== 'foreign';
}

/** The caller gave up: its signal's reason. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

const BY_ERRNO: Partial<Record<Errno, readonly number[]>> = {
  EINVAL: [5033, 7007, 7008, 7010, 7011, 8010, 8012, 8013, 8014, 8015],
  // 5024, 9011: mv(1) takes EINVAL of a rename for a directory that goes below itself.
  EPERM: [5023, 5024, 5025, 5027, 9006, 9011],
  EEXIST: [3003, 5003, 5030, 8005, 8006, 9010, 9107, 9108],
  EROFS: [9026, 9101],
  ENOTEMPTY: [5021],
  ENOTDIR: [5022],
  EISDIR: [5017, 5018],
  EXDEV: [5015],
  // Key too long is ERANGE and too many pairs ENOSPC where we check before sending; the platform tells only this.
  E2BIG: [5006],
  ENXIO: [5034, 9069],
  EAGAIN: [8007, 8008, 8009],
  // An upload that is no more (404): it is no file that is not there.
  EIO: [8003],
};

const OF_CODE: ReadonlyMap<number, Errno> = new Map(
  Object.entries(BY_ERRNO).flatMap(([errno, codes]) => codes.map((code) => [code, errno as Errno])),
);

function errnoOfStatus(status: number): Errno {
  switch (status) {
    case 400:
      return 'EINVAL';
    case 401:
    case 403:
      return 'EACCES';
    case 404:
      return 'ENOENT';
    case 409:
      return 'EEXIST';
    // Of a bucket: another object is there than the one to be replaced.
    case 412:
      return 'ESTALE';
    case 429:
      return 'EAGAIN';
    case INSUFFICIENT_STORAGE:
      return 'ENOSPC';
    default:
      return 'EIO';
  }
}

/** No room for a file here, or no descriptor to make it safe with: the service may take it all the same. */
export function isOfThisMachine(error: unknown): boolean {
  return ['ENOSPC', 'ENFILE'].includes(errnoOf(error));
}

const OF_STORAGE: Record<StorageError['kind'], Errno> = {
  refused: 'EACCES',
  missing: 'ESTALE',
  changed: 'ESTALE',
  failed: 'EIO',
};

const OF_CONTENT: Record<ContentError['kind'], Errno> = {
  changed: 'ESTALE',
  'no-space': 'ENOSPC',
  'no-memory': 'ENOMEM',
  // EMFILE would be of the program's own files.
  'no-descriptors': 'ENFILE',
  unreadable: 'EIO',
  'gave-way': 'EAGAIN',
  failed: 'EIO',
};

const OF_REFUSAL: Record<TransferRefused['reason'], Errno> = {
  'read-only-volume': 'EROFS',
  'inactive-volume': 'ENXIO',
  'no-permission': 'EACCES',
  'target-exists': 'EEXIST',
  'target-not-empty': 'ENOTEMPTY',
  'not-exportable': 'EPERM',
  // The caller then copies the bytes itself, which works.
  'volume-to-volume': 'EXDEV',
  'into-itself': 'EINVAL',
  // As code 9011.
  'bad-name': 'EPERM',
  'volume-is-append-only': 'EPERM',
};
