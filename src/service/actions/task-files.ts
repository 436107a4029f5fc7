import type { TaskValues } from '../../contract/task.ts';
import type { Caller } from '../caller.ts';
import { type FileValue, filesIn, withFiles } from '../rules/task-values.ts';
import { ServiceError } from '../service-error.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { fileFor } from './file-access.ts';

/** The files among the inputs of a task, by id. @throws ServiceError 7012 when the caller has not all of them */
export async function taskFiles(
  store: Store,
  caller: Caller,
  inputs: TaskValues,
): Promise<ReadonlyMap<string, FileRow>> {
  const files = new Map<string, FileRow>();
  for (const value of filesIn(inputs)) {
    const file = files.get(value.path) ?? (await visibleFile(store, caller, value.path));
    if ((file.kind === 'folder') !== (value.class === 'Directory')) {
      throw new ServiceError(7012, `The input ${file.name} is a ${file.kind}, not a ${value.class}.`);
    }
    files.set(value.path, file);
  }
  return files;
}

async function visibleFile(store: Store, caller: Caller, id: string): Promise<FileRow> {
  try {
    return (await fileFor(store, caller, id)).file;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(7012, `The inputs name the file ${id}, which does not exist.`, { cause: error });
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
