import type { ErrorCode } from '../../contract/error-codes.ts';
import { FILE_NAME_LENGTH_MAX, RESERVED_FOLDER_PREFIX } from '../../contract/limits.ts';
import { ServiceError } from '../http/service-error.ts';
import { isStorableText } from '../store/storable-text.ts';

/** @returns The name. @throws ServiceError with `code` when it cannot be the name of a file. */
export function checkFileName(name: string | null | undefined, code: ErrorCode): string {
  if (name === undefined || name === null || name === '')
    throw new ServiceError(code, 'The name is missing.');
  if (name.includes('/')) throw new ServiceError(code, 'A name must not contain a slash.');
  if (!isStorableText(name)) throw new ServiceError(code, 'The name is not valid Unicode text.');
  if ([...name].length > FILE_NAME_LENGTH_MAX) {
    throw new ServiceError(code, `A name has at most ${FILE_NAME_LENGTH_MAX} characters.`);
  }
  return name;
}

/** @returns The name. @throws ServiceError 5024 when it cannot be the name of a folder. */
export function checkFolderName(name: string | null | undefined): string {
  const checked = checkFileName(name, 5024);
  if (checked.startsWith(RESERVED_FOLDER_PREFIX)) {
    throw new ServiceError(5024, `A folder name must not begin with ${RESERVED_FOLDER_PREFIX}.`);
  }
  return checked;
}
