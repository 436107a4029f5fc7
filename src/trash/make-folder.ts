import type { Api } from '../api/api.ts';
import type { CallOptions, Place } from '../api/call-options.ts';
import { ApiError } from '../api/errors.ts';
import type { EntryRecord } from '../api/model.ts';

const CONFLICT = 409;

/** The folder of that name, made where there is none; or the file that has the name. */
export async function makeFolder(
  files: Pick<Api['files'], 'createFolder' | 'find'>,
  place: Place,
  options?: CallOptions,
): Promise<EntryRecord> {
  try {
    return await files.createFolder(place, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== CONFLICT) throw error;
    const there = await files.find(place, options);
    if (there === undefined) throw error;
    return there;
  }
}
