import { TooManyBytesError } from '../storage/objects/too-many-bytes-error.ts';
import { isStoreFailure } from '../storage/s3/s3-failure.ts';
import { databaseFailure, isPassingFailure } from '../store/database-failure.ts';
import { ServiceError } from './service-error.ts';

/** The answer to a caller for anything thrown while a call was served. Never a stack, never an inner message. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof TooManyBytesError) {
    return new ServiceError(90000, error.message, { status: 413, cause: error });
  }
  const { code, statusCode, message } = error as NodeJS.ErrnoException & { statusCode?: number };
  const failure = databaseFailure(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || failure === 'full') {
    // Not the code's own 503, which asks to try again soon.
    const message = 'There is no space left on the storage of the service.';
    return new ServiceError(8000, message, { status: 507, cause: error });
  }
  if (isStoreFailure(error)) return new ServiceError(8000, undefined, { cause: error });
  if (code === 'ECONNRESET') return new ServiceError(90000, 'The request broke off.', { cause: error });
  if (isPassingFailure(error)) return new ServiceError(90005, undefined, { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return refusal(statusCode, message);
  return new ServiceError(90009, undefined, { cause: error });
}

/** Fastify's own refusals: body too large, bad content type or length, malformed address. */
function refusal(status: number, message: string): ServiceError {
  switch (status) {
    case 404:
      return new ServiceError(90003);
    case 405:
      return new ServiceError(90006);
    case 415:
      return new ServiceError(90008, 'A body must be sent as Content-Type: application/json.');
    default:
      return new ServiceError(90000, message, { status });
  }
}
