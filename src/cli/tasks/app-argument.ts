import { ApiError } from '../../api/errors.ts';
import type { AppRecord } from '../../api/model.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import type { Platform } from '../platform/platform.ts';

/**
 * The id of an app on the command line: `owner/project/app`, with a revision or without, or its directory or the file of a
 * revision in a mount. @throws CliError
 */
export async function appIdOf(given: string): Promise<string> {
  const inMount = (await locate(given))?.path;
  const id = inMount?.startsWith('/apps/') ? inMount.slice('/apps/'.length) : given;
  const [owner, project, app, revision, ...rest] = id.split('/');
  const number = /^(?:(\d+)(?:\.json)?)?$/.exec(revision ?? '');
  const isNewest = revision === 'latest.json' || revision === 'app.json';
  if (!owner || !project || !app || rest.length > 0 || (number === null && !isNewest))
    throw new CliError('usage', `${given}: no app: write OWNER/PROJECT/APP or OWNER/PROJECT/APP/REVISION`);
  return [owner, project, app, ...(number?.[1] === undefined ? [] : [number[1]])].join('/');
}

/** @throws CliError when there is none */
export async function getApp(id: string, { api }: Platform): Promise<AppRecord> {
  try {
    return await api.apps.get(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new CliError('failure', `${id}: there is no such app or revision, or you cannot see it`);
    throw error;
  }
}
