import { CredentialsError } from '../config/credentials-error.ts';
import { ConfigFileError } from '../config/file/config-file.ts';
import { NetworkError } from '../config/network.ts';
import { MountError, type MountErrorKind } from '../fuse/mount-error.ts';
import { errorCode } from '../lib/error-code.ts';
import { SecretKeyError } from '../service/operations/secrets/secret-keys.ts';
import { OperatorError } from '../service/operator/operator-error.ts';
import { CliError, type ExitName } from './exit-codes.ts';

const EXIT_OF_MOUNT_ERROR: Readonly<Record<MountErrorKind, ExitName>> = {
  'addon-missing': 'failure',
  'no-device': 'noFuse',
  'no-permission': 'noFuse',
  'fusermount-missing': 'noFuse',
  'no-descriptor': 'mountPointMissing',
  'mount-point-missing': 'mountPointMissing',
  'not-a-directory': 'mountPointMissing',
  'not-empty': 'mountPointNotEmpty',
  'already-mounted': 'alreadyMounted',
  busy: 'busy',
  held: 'busy',
  'not-ours': 'busy',
  other: 'failure',
};

/** The exit code and line of an error that was made to be read by a person; undefined for any other. */
export function asCliError(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof CredentialsError) return new CliError('credentials', error.message, { cause: error });
  if (error instanceof ConfigFileError) return new CliError('usage', error.message, { cause: error });
  if (error instanceof NetworkError) return new CliError('usage', error.message, { cause: error });
  if (error instanceof MountError) {
    return new CliError(EXIT_OF_MOUNT_ERROR[error.kind], error.message, { cause: error });
  }
  if (error instanceof OperatorError) return new CliError('refused', error.message, { cause: error });
  if (error instanceof SecretKeyError) return new CliError('noService', error.message, { cause: error });
  if (isOfWorkingDirectory(error)) {
    const remedy = 'go to another one with cd, or into this one anew';
    return new CliError('failure', `the working directory is not there any more: ${remedy}`, {
      cause: error,
    });
  }
  const code = errorCode(error);
  if (code === 'EMFILE' || code === 'ENFILE') {
    const remedy = 'close some, or raise the limit with ulimit -n';
    return new CliError('failure', `too many files are open: ${remedy}`, { cause: error });
  }
  return undefined;
}

/** The error of a process whose working directory was in a mount that has been unmounted since. */
function isOfWorkingDirectory(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}
