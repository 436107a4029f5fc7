import { ServiceError } from '../http/service-error.ts';

/** The token of a scroll's first page. */
const FIRST = 'init';

/** Where a scroll goes on: after this name. The first page begins before all names. @throws ServiceError 57000, 57001 */
export function parseScrollToken(token: string): string | undefined {
  if (token === '') throw new ServiceError(57000);
  if (token === FIRST) return undefined;
  const name = Buffer.from(token, 'base64url').toString('utf8');
  if (name === '' || scrollToken(name) !== token) throw new ServiceError(57001);
  return name;
}

export function scrollToken(lastName: string): string {
  return Buffer.from(lastName, 'utf8').toString('base64url');
}
