import type { ProjectSummary } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { collect, pagesInOrder } from '../../lib/pages-in-order.ts';
import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { pathOfItem } from '../platform/path-of-item.ts';
import { onPlatform, type Reached } from '../platform/reach-platform.ts';
import { describeProject } from './describe-project.ts';
import { editOf, type ProjectFields, requireName } from './project-fields.ts';

export interface CreateProjectOptions extends ProjectFields {
  /** Make it although the user has one of that name. */
  readonly another: boolean;
  /** Take the one that is there. */
  readonly existOk: boolean;
  readonly json: boolean;
}

/**
 * Makes a project, unless the user has one of that name: the platform would make a second one, whose id ends in a number.
 * So the same command can be repeated when nobody knows how it ended.
 */
export async function createProject(
  name: string,
  options: CreateProjectOptions,
  context: Context,
): Promise<void> {
  const fields = { ...editOf(options), name: requireName(name) };
  await onPlatform(context, async (reached) => {
    const { platform } = reached;
    const there = options.another ? undefined : await ownOfName(reached, name, context.signal);
    if (there !== undefined && !options.existOk)
      throw new CliError(
        'failure',
        `you have a project of that name: ${there.id}. --exist-ok takes it, --another makes a second one`,
      );
    const project = await (there === undefined
      ? platform.api.projects.create(fields)
      : platform.api.projects.get(there.id));
    if (there === undefined) await platform.onItemsChanged([{ tree: 'projects', id: project.id }]);
    if (options.json) printJson(describeProject(project));
    else console.log(await pathOfItem(reached, 'projects', project.id));
  });
}

/** The project of that very name that the user owns. */
async function ownOfName(
  { platform: { api } }: Reached,
  name: string,
  signal: AbortSignal,
): Promise<ProjectSummary | undefined> {
  const pages = pagesInOrder<ProjectSummary>(
    (page, pageSignal) => api.projects.list({ ...page, name }, { signal: pageSignal }),
    { what: 'the list of projects', limit: PAGE_LIMIT_MAX, signal },
  );
  const alike = (await collect(pages)).filter((project) => project.name === name);
  if (alike.length === 0) return undefined;
  const { username } = await api.whoAmI({ signal });
  return alike.find(({ owner }) => owner === username);
}
