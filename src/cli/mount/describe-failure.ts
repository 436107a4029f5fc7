import { ApiError, TransportError } from '../../api/errors.ts';
import { messageOf } from '../../lib/message-of.ts';
import { asCliError } from '../as-cli-error.ts';
import type { ExitName } from '../exit-codes.ts';
import type { DaemonReport, MountSettings } from './daemon-messages.ts';

const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
/** Every user has an answer to this one: where it is not found is no API. */
const OWN_USER = 'GET /user';

/** Why there is no mount: one line for the person who asked for it, and the exit code that goes with it. */
export function describeFailure(error: unknown, settings: MountSettings): DaemonReport {
  const failed = (exit: ExitName, message: string): DaemonReport => ({ type: 'failed', exit, message });
  const { endpoint, directory } = settings;
  const told = asCliError(error);
  if (told !== undefined) return failed(told.exit, told.message);
  if (error instanceof ApiError && error.status === UNAUTHORIZED) {
    return failed('tokenRefused', `${endpoint} refused the token: ${error.message}`);
  }
  if (error instanceof ApiError && error.status === NOT_FOUND && error.call === OWN_USER) {
    const likely = `${new URL(endpoint).origin}/v2`;
    return failed(
      'unreachable',
      `no API at ${endpoint}: ${error.message} Is its path wrong, or none, instead of one such as ${likely}?`,
    );
  }
  if (error instanceof ApiError) {
    return failed('failure', `${endpoint} answered ${error.status} to ${error.call}: ${error.message}`);
  }
  if (error instanceof TransportError)
    return failed('unreachable', `no service at ${endpoint}: ${error.message}`);
  const reason = messageOf(error);
  return failed('failure', `${reason} (more in ${directory.log})`);
}
