import { checkFolderName } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';

/**
 * The folder that a task names for its outputs (`output_location.main_location`), as a path below the root of its project;
 * empty when it names none.
 *
 * @throws ServiceError 7023 when it is no such path, as a place on a volume; 5024 when it cannot be the name of a folder
 */
export function folderPathOf(location: unknown): readonly string[] {
  const main = (location as { main_location?: unknown } | null | undefined)?.main_location;
  if (main === undefined || main === null || main === '') return [];
  if (typeof main !== 'string' || main.includes('://')) {
    throw new ServiceError(7023, 'The main output location is the path of a folder in the project.');
  }
  const names = main.split('/').filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..')) {
    throw new ServiceError(7023, 'The main output location has a segment "." or "..".');
  }
  return names.map(checkFolderName);
}
