import { join } from 'node:path';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { createJobs } from '../../jobs/create-jobs.ts';
import { systemClock } from '../../lib/clock.ts';
import { isPlatformPath, parsePlatformPath } from '../../places/platform-path.ts';
import { ProjectTrash } from '../../trash/project-trash.ts';
import { commandClient } from '../command-client.ts';
import { credentialsOf } from '../credentials-of.ts';
import { CliError } from '../exit-codes.ts';
import { accessError } from '../mount/access-error.ts';
import { inquire } from '../mount/inquire.ts';
import { locate } from '../mount/select-mount.ts';
import { type TrashAnswer, type TrashRequest, workOn } from '../mount/trash-inquiries.ts';
import type { Context } from '../platform/find-places.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';

/** A request less the path that it is about. */
type Work = TrashRequest extends infer R
  ? R extends TrashRequest
    ? Omit<R, 'request' | 'path'>
    : never
  : never;

/** A path whose trash a command works on, through the mount that it is in or straight. */
export interface TrashPlaceOfCommand {
  ask(work: Work): Promise<Omit<TrashAnswer, 'answer'>>;
  /** How a person writes a path in the project. */
  shown(asked: Pick<TrashAnswer, 'project' | 'at'>, path: readonly string[]): string;
  close(): Promise<void>;
}

export async function placeOfTrash(path: string, context: Context): Promise<TrashPlaceOfCommand> {
  if (isPlatformPath(path)) return directly(path, context);
  const located = await locate(path);
  if (located === undefined)
    throw new CliError('notMounted', `${path}: not in a mount of svcfs, and not project:owner/name/…`);
  const { mount } = located;
  const root = mount.mountPoint;
  return {
    ask: async (work) => {
      const request = { request: 'trash', path: located.path, ...work } as TrashRequest;
      try {
        return await inquire(mount, request, { takeBack: context.signal });
      } catch (error) {
        // The mount says only that it stopped.
        context.signal.throwIfAborted();
        throw error;
      }
    },
    shown: ({ at = '' }, names) => join(root, at, ...names),
    close: async () => {},
  };
}

async function directly(
  path: string,
  { options, command, signal }: Context & { readonly options: PlatformOptions },
): Promise<TrashPlaceOfCommand> {
  refuseShownPassword(command);
  const named = parsePlatformPath(path);
  if (named === undefined) throw new CliError('usage', `${path}: no project: write project:owner/name/…`);
  const credentials = await credentialsOf(options, command);
  const { api } = await commandClient(credentials, options);
  const { project, names } = named;
  const jobs = createJobs({ api, clock: systemClock });
  const trash = new ProjectTrash({ files: api.files, jobs, signal });
  return {
    ask: async (work) => {
      try {
        const { rootFolder } = await api.projects.get(project, { signal });
        const place = { project, rootFolder, names };
        const done = await workOn(trash, place, { request: 'trash', path, ...work } as TrashRequest);
        const { failures, failed } = done.failures;
        return { project, files: done.files, restored: done.restored, failures, failed };
      } catch (error) {
        const told = accessError(error, credentials.endpoint);
        throw told ? new CliError(told.exit, told.message, { cause: error }) : error;
      }
    },
    shown: (_, below) => `project:${[project, ...below].join('/')}`,
    close: async () => {
      jobs.close();
      await api.close();
    },
  };
}
