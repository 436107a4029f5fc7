import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { onItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { describeProject } from './describe-project.ts';
import { editOf, type ProjectFields, requireName } from './project-fields.ts';

export interface EditProjectOptions extends ProjectFields {
  readonly name?: string | undefined;
  readonly json: boolean;
}

/** Changes what is given. The id, and so the path, stays when the name changes. */
export async function editProject(
  given: string,
  options: EditProjectOptions,
  context: Context,
): Promise<void> {
  const { name } = options;
  const changes = { ...editOf(options), ...(name !== undefined && { name: requireName(name) }) };
  if (Object.keys(changes).length === 0)
    throw new CliError('usage', 'nothing to change: give --name, --description or another field');
  await onItem('projects', given, context, async ({ platform, id }) => {
    await platform.api.projects.edit(id, changes);
    await platform.onItemsChanged([{ tree: 'projects', id }]);
    if (options.json) printJson(describeProject(await platform.api.projects.get(id)));
  });
}
