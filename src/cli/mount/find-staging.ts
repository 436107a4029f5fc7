import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { Staging } from '../../vfs/open/staging.ts';
import { CliError } from '../exit-codes.ts';

const FOLDER = '.svcfs-staging';
const NOT_FOUND = 404;

/** The staging folder of a project, made when it is not there. */
export async function findStaging(api: Api, project: string): Promise<Staging> {
  try {
    const { rootFolder, permissions } = await api.projects.get(project);
    const place = { parent: rootFolder, name: FOLDER };
    const folder = (await api.files.find(place)) ?? (await api.files.createFolder(place));
    if (folder.kind !== 'folder')
      throw new CliError('failure', `${FOLDER} in project ${project} is not a folder`);
    return { project, folder: folder.id, permissions };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== NOT_FOUND) throw error;
    throw new CliError('failure', `there is no project ${project} to stage files in`, { cause: error });
  }
}
