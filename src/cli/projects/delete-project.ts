import { describeSize } from '../../lib/describe-size.ts';
import { filesAt, TooManyFilesError } from '../../places/list-files.ts';
import { confirmed } from '../ask.ts';
import { printJson } from '../describe/print-table.ts';
import { onItem, type ReachedItem } from '../platform/find-item.ts';
import type { Context } from '../platform/find-places.ts';
import { requireTerminal } from '../require-terminal.ts';

export interface DeleteOptions {
  readonly force: boolean;
  readonly json: boolean;
}

/** More are not counted: a person knows enough, and 100 files take a request. */
const COUNTED_MOST = 10_000;

/** Deletes a project with all that is in it. A person is told how much that is, and asked. */
export async function deleteProject(given: string, options: DeleteOptions, context: Context): Promise<void> {
  requireTerminal(options);
  await onItem('projects', given, context, async (item) => {
    const { platform, id } = item;
    if (!options.force && !(await isWanted(item, context.signal))) return;
    await platform.api.projects.delete(id);
    await platform.onItemsChanged([{ tree: 'projects', id }]);
    if (options.json) printJson({ id, deleted: true });
  });
}

async function isWanted(item: ReachedItem, signal: AbortSignal): Promise<boolean> {
  const { platform, id } = item;
  const project = await platform.api.projects.get(id, { signal });
  const [content, { total: tasks }, { total: members }] = await Promise.all([
    contentOf(item, project.rootFolder, signal),
    platform.api.tasks.list({ project: id }, { offset: 0, limit: 1 }, { signal }),
    platform.api.projects.members(id, { offset: 0, limit: 1 }, { signal }),
  ]);
  const ofTasks = tasks === 0 ? 'no tasks' : tasks === 1 ? '1 task' : `${tasks.toLocaleString('en')} tasks`;
  const others = members === 1 ? 'no other member' : `${members - 1} other members`;
  const question = `Delete the project ${id} (${project.name}) with ${content}, ${ofTasks} and ${others}? This is final.`;
  return confirmed(question, signal);
}

async function contentOf(
  { platform: { api }, id }: ReachedItem,
  rootFolder: string,
  signal: AbortSignal,
): Promise<string> {
  const root = { kind: 'folder', project: id, names: [], id: rootFolder, parent: undefined } as const;
  try {
    const files = await filesAt(root, { api, signal, recursive: true, filesMost: COUNTED_MOST });
    const bytes = files.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    const count = files.length === 1 ? '1 file' : `${files.length.toLocaleString('en')} files`;
    return files.length === 0 ? 'no files' : `${count} (${describeSize(bytes)})`;
  } catch (error) {
    if (!(error instanceof TooManyFilesError)) throw error;
    return `more than ${COUNTED_MOST.toLocaleString('en')} files`;
  }
}
