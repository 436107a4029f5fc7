import { messageOf } from '../../lib/message-of.ts';
import { accessError } from './access-error.ts';
import type { DaemonReport, MountSettings } from './daemon-messages.ts';

/** Why there is no mount: one line for the person who asked for it, and the exit code that goes with it. */
export function describeFailure(error: unknown, { endpoint, directory }: MountSettings): DaemonReport {
  const { exit, message } = accessError(error, endpoint) ?? {
    exit: 'failure' as const,
    message: `${messageOf(error)} (more in ${directory.log})`,
  };
  return { type: 'failed', exit, message };
}
