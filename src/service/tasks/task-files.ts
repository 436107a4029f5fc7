import type { TaskValues } from '../../contract/task.ts';
import { type AccessibleFile, type FileRow, fileFor } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import { type FileValue, filesAmong, withFiles } from './task-values.ts';

/** The files among the inputs of a task, by id. @throws ServiceError 7012 when the caller has not all of them */
export async function taskFiles(
  store: Store,
  caller: Caller,
  inputs: TaskValues,
): Promise<ReadonlyMap<string, FileRow>> {
  const files = new Map<string, FileRow>();
  for (const value of filesAmong(inputs)) {
    const file = files.get(value.path) ?? (await readableFile(store, caller, value.path));
    if ((file.kind === 'folder') !== (value.class === 'Directory')) {
      throw new ServiceError(7012, `The input ${file.name} is a ${file.kind}, not a ${value.class}.`);
    }
    files.set(value.path, file);
  }
  return files;
}

/**
 * A user who runs a task on a file gets its content: the user needs `copy`, or must be allowed to run tasks where it
 * lies.
 *
 * @throws ServiceError 7012
 */
export async function readableFile(store: Store, caller: Caller, id: string): Promise<FileRow> {
  const found = await visibleFile(store, caller, id);
  if (found === undefined) {
    throw new ServiceError(7012, `The inputs name the file ${id}, which does not exist.`);
  }
  const { file, permissions } = found;
  if (permissions.copy || permissions.execute) return file;
  throw new ServiceError(7012, `The input ${file.name} needs the permission copy in its project.`);
}

async function visibleFile(store: Store, caller: Caller, id: string): Promise<AccessibleFile | undefined> {
  try {
    return await fileFor(store, caller, id);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The inputs with every file named as it is called now. */
export function withNames(inputs: TaskValues, files: ReadonlyMap<string, FileRow>): TaskValues {
  const named = (file: FileValue): FileValue => ({
    ...file,
    name: files.get(file.path)?.name ?? '',
    ...(file.secondaryFiles === undefined ? {} : { secondaryFiles: withFiles(file.secondaryFiles, named) }),
  });
  return withFiles(inputs, named) as TaskValues;
}
