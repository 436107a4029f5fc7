import { ApiError, TransportError } from '../../api/errors.ts';
import { asCliError } from '../as-cli-error.ts';
import type { ExitName } from '../exit-codes.ts';

const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
/** Every user has an answer to this one: where it is not found is no API. */
const OWN_USER = 'GET /user';

/** Why an endpoint cannot be used with a token, in one line, and the exit code that goes with it; undefined for other errors. */
export function accessError(
  error: unknown,
  endpoint: string,
): { readonly exit: ExitName; readonly message: string } | undefined {
  const told = asCliError(error);
  if (told !== undefined) return told;
  if (error instanceof ApiError && error.status === UNAUTHORIZED) {
    return { exit: 'tokenRefused', message: `${endpoint} refused the token: ${error.message}` };
  }
  if (error instanceof ApiError && error.status === NOT_FOUND && error.call === OWN_USER) {
    const likely = `${new URL(endpoint).origin}/v2`;
    return {
      exit: 'unreachable',
      message: `no API at ${endpoint}: ${error.message} Is its path wrong, or none, instead of one such as ${likely}?`,
    };
  }
  if (error instanceof ApiError) {
    return {
      exit: 'failure',
      message: `${endpoint} answered ${error.status} to ${error.call}: ${error.message}`,
    };
  }
  if (error instanceof TransportError)
    return { exit: 'unreachable', message: `no service at ${endpoint}: ${error.message}` };
  return undefined;
}
