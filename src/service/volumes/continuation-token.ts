import { ServiceError } from '../http/service-error.ts';

/** How the API writes the place where a listing goes on. */
export function continuationToken(continuation: string): string {
  return Buffer.from(continuation).toString('base64url');
}

/** Undefined for the empty token, which is that of the first page. @throws ServiceError 9011 */
export function continuationOf(token: string): string | undefined {
  if (token === '') return undefined;
  const continuation = Buffer.from(token, 'base64url').toString();
  if (continuationToken(continuation) !== token)
    throw new ServiceError(9011, 'The continuation token is not valid.');
  return continuation;
}
