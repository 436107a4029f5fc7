import { errorCode } from '../lib/error-code.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { CliError, type ExitName } from './exit-codes.ts';

/**
 * Makes a directory that only svcfs uses, and what is missing above it. False: it was there.
 *
 * @param failing How svcfs ends when it cannot be made, and what to do then
 * @throws CliError that names the directory
 */
export async function makeOwnDirectory(
  path: string,
  failing: { readonly exit: ExitName; readonly remedy: string },
): Promise<boolean> {
  try {
    return (await makeDirectories(path, 0o700)) !== undefined;
  } catch (error) {
    throw new CliError(failing.exit, `cannot use ${path}: ${reasonOf(error)}; ${failing.remedy}`, {
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return 'no directory can be made there';
    case 'EEXIST':
      return `${(error as NodeJS.ErrnoException).path} is there and is no directory`;
    default:
      return plainReason(error);
  }
}

export const DATA_DIRECTORY_FAILS = {
  exit: 'serviceFailed',
  remedy: 'give another directory with --data',
} as const;

export const STATE_DIRECTORY_FAILS = {
  exit: 'failure',
  remedy: 'set XDG_STATE_HOME to a directory where svcfs may keep its state',
} as const;
