import type { Api } from '../../../api/api.ts';
import { ApiError } from '../../../api/errors.ts';
import { isPattern } from '../../../lib/id-patterns.ts';
import { type Finding, fault, ok, warning } from '../../finding.ts';

/** Each costs a request. */
const MOST_ASKED = 3;

export interface NamedProjects {
  /** OWNER/NAME, and perhaps a folder. */
  readonly stagingProject: string | undefined;
  /** Those that a mount would show; undefined: all. */
  readonly projects: readonly string[] | undefined;
}

/** The rights of the user in the projects that the mount is to show, or in the first of them. */
export async function checkRights(
  { projects }: Pick<Api, 'projects'>,
  username: string,
  { stagingProject, projects: named }: NamedProjects,
  signal: AbortSignal,
): Promise<Finding> {
  const staging = stagingProject?.split('/').slice(0, 2).join('/');
  const asked = [...(staging === undefined ? [] : [staging]), ...(named ?? [])].filter(
    (id) => !isPattern(id),
  );
  const { items, total } = await projects.list({ offset: 0, limit: MOST_ASKED }, { signal });
  if (total === 0)
    return warning('projects', `${username} is a member of none`, {
      remedy: `# have an admin of a project add ${username} to it`,
    });
  const ids = asked.length > 0 ? asked : items.map(({ id }) => id);
  const readOnly: string[] = [];
  for (const id of ids.slice(0, MOST_ASKED)) {
    try {
      const { permissions } = await projects.get(id, { signal });
      if (!permissions.write) readOnly.push(id);
    } catch (error) {
      if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error;
      return fault('projects', `${id} is not there, or ${username} is no member of it`, {
        remedy: `# have an admin of ${id} add ${username}; else correct --project, --staging-project`,
      });
    }
  }
  const member = `${username} is a member of ${total}`;
  if (staging !== undefined && readOnly.includes(staging))
    return fault('projects', `${username} may not write in ${staging}, which --staging-project names`, {
      remedy: `# have an admin of ${staging} give ${username} the right to write`,
    });
  return readOnly.length === 0
    ? ok('projects', `${member}; may write in ${ids.slice(0, MOST_ASKED).join(', ')}`)
    : ok('projects', `${member}; may only read ${readOnly.join(', ')}`);
}
