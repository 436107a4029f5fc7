import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { onItem, type ReachedItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { parseAppId } from './app-id.ts';
import { appsOf } from './list-apps.ts';

export interface CopyAppOptions {
  readonly name?: string | undefined;
  readonly strategy?: string | undefined;
  readonly json: boolean;
}

/** Copies an app into a project, and prints the id of the copy. */
export async function copyApp(
  given: string,
  target: string,
  { name, strategy, json }: CopyAppOptions,
  context: Context,
): Promise<void> {
  const { id, revision } = parseAppId(given);
  await onItem('projects', target, context, async (project) => {
    await requireFree(project, { app: id, name }, context.signal);
    const source = revision === undefined ? id : `${id}/${revision}`;
    const copy = await project.platform.api.apps.copy(source, { project: project.id, name, strategy });
    if (json) printJson({ id: copy.id });
    else console.log(copy.id);
  });
}

/** A copy whose answer is lost is known by its id or name: none may have it before. */
async function requireFree(
  { platform, id: project }: ReachedItem,
  { app, name }: { readonly app: string; readonly name: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const id = `${project}/${app.split('/')[2] ?? ''}`;
  const apps = await appsOf(platform, { project }, signal);
  const there = apps.find((each) => (name === undefined ? each.id === id : each.name === name));
  if (there !== undefined)
    throw new CliError('failure', `${there.id} is there already: --name gives the copy another name`);
}
