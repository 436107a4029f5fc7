import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import type { TaskRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { idInName } from '../../tasks/task-directory.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import { choosePlatform } from '../platform/choose-platform.ts';
import type { Context } from '../platform/find-places.ts';
import { mountedPlatform } from '../platform/mounted-platform.ts';
import type { Platform } from '../platform/platform.ts';
import { finishing } from './on-platform.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Does work on tasks of the command line, by their ids. */
export async function onTasks<T>(
  given: readonly string[],
  context: Context,
  work: (ids: readonly string[], platform: Platform) => Promise<T>,
): Promise<T> {
  const platform = await platformOfTasks(given, context);
  return finishing(platform, async () => {
    const ids: string[] = [];
    for (const each of given) ids.push(await taskIdOf(each, platform));
    return work(ids, platform);
  });
}

/** The platform that tasks of the command line are on: that of a mount in which one of them is, else the one at hand. */
async function platformOfTasks(given: readonly string[], context: Context): Promise<Platform> {
  for (const each of given) {
    const located = UUID.test(each) ? undefined : await locateTask(each);
    if (located !== undefined) return mountedPlatform(located.mount, context.signal);
  }
  return (await choosePlatform(undefined, context)).platform;
}

/**
 * The id of a task: as it is, or its directory in a mount, or the first eight digits, of one of the newest hundred tasks.
 *
 * @throws CliError
 */
async function taskIdOf(given: string, { api }: Platform): Promise<string> {
  if (UUID.test(given)) return given;
  const located = await locateTask(given);
  if (located !== undefined) return idOfDirectory(given, located.directory);
  const digits = idInName(`~${given.replace(/^.*~/, '')}`);
  if (digits === undefined)
    throw new CliError(
      'usage',
      `${given}: no task: write its id, as svcfs tasks list shows it, or its directory`,
    );
  const { items } = await api.tasks.list({}, { offset: 0, limit: PAGE_LIMIT_MAX });
  const [found, ...others] = items.filter(({ id }) => id.startsWith(digits));
  if (found !== undefined && others.length === 0) return found.id;
  throw new CliError(
    'failure',
    `${given}: not one of your newest ${PAGE_LIMIT_MAX} tasks: write the whole id`,
  );
}

/** @throws CliError when there is none */
export async function getTask(id: string, { api }: Platform): Promise<TaskRecord> {
  try {
    return await api.tasks.get(id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw noTask(id, error);
    throw error;
  }
}

export function noTask(id: string, cause?: unknown): CliError {
  return new CliError('failure', `${id}: there is no such task, or you cannot see it`, { cause });
}

interface LocatedTask {
  readonly mount: Parameters<typeof mountedPlatform>[0];
  /** `NAME~ID8` in the mount, from the working directory. */
  readonly directory: string;
}

/** The directory of a task that a path is, or is in. */
async function locateTask(given: string): Promise<LocatedTask | undefined> {
  const located = await locate(given);
  const [root, ...names] = located?.path.split('/').slice(1) ?? [];
  const depth = names.findIndex((name) => idInName(name) !== undefined);
  if (located === undefined || root !== 'tasks' || depth < 0) return undefined;
  return {
    mount: located.mount,
    directory: join(located.mount.mountPoint, root, ...names.slice(0, depth + 1)),
  };
}

async function idOfDirectory(given: string, directory: string): Promise<string> {
  try {
    return (JSON.parse(await readFile(join(directory, 'task.json'), 'utf8')) as { readonly id: string }).id;
  } catch (error) {
    throw new CliError('failure', `${given}: there is no such task`, { cause: error });
  }
}
