import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { FolderRecord } from '../../api/model.ts';
import type { Staging } from '../../vfs/publish/staging.ts';
import { CliError } from '../exit-codes.ts';

const FOLDER = '.svcfs-staging';
const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** The staging folder `OWNER/NAME[/FOLDER]`, made when it is not there. */
export async function findStaging(api: Api, place: string): Promise<Staging> {
  const [owner = '', name = '', ...path] = place.split('/');
  const project = `${owner}/${name}`;
  try {
    const { rootFolder, permissions } = await api.projects.get(project);
    if (!permissions.write) throw notWritable(project);
    let folder = rootFolder;
    for (const level of path.length > 0 ? path : [FOLDER]) {
      folder = (await folderAt(api, { parent: folder, name: level }, place)).id;
    }
    return { project, folder, permissions };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === FORBIDDEN) throw notWritable(project, error);
    if (error.status !== NOT_FOUND) throw error;
    throw new CliError('failure', `there is no project ${project} to stage files in`, { cause: error });
  }
}

async function folderAt(
  api: Api,
  at: { readonly parent: string; readonly name: string },
  place: string,
): Promise<FolderRecord> {
  const folder = (await api.files.find(at)) ?? (await api.files.createFolder(at));
  if (folder.kind === 'folder') return folder;
  throw new CliError('failure', `${at.name} is a file: files cannot be staged in ${place}`);
}

function notWritable(project: string, cause?: ApiError): CliError {
  return new CliError('failure', `staging files in project ${project} needs write permission on it`, {
    cause,
  });
}
