/** The questions that `svcfs trash` asks a mount: its calls go out with its credentials, and it shows what they change. */
import { join } from 'node:path/posix';
import type { Api } from '../../api/api.ts';
import type { Jobs } from '../../jobs/ports.ts';
import { TRASH } from '../../places/trash-folder.ts';
import { ProjectTrash } from '../../trash/project-trash.ts';
import type { TrashedFile } from '../../trash/trashed-file.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';

export type TrashRequest =
  /** `path` is from the top of the mount: before the removal, or in the trash. */
  | {
      readonly request: 'trash';
      readonly action: 'list' | 'empty';
      readonly path: string;
      readonly olderThanMs?: number;
    }
  | {
      readonly request: 'trash';
      readonly action: 'restore';
      readonly path: string;
      readonly files: readonly TrashedFile[];
      readonly rename: boolean;
    };

export interface TrashAnswer extends FailedPaths {
  readonly answer: 'trash';
  readonly project: string;
  /** Of its directory below the mount point; absent without a mount. */
  readonly at?: string;
  readonly files: readonly TrashedFile[];
  /** Paths in the project. */
  readonly restored: readonly string[];
}

export interface TrashParts {
  readonly api: Api;
  readonly jobs: Pick<Jobs, 'delete'>;
  readonly readOnly: boolean;
  readonly trashPlaceAt: MountedFileSystem['trashPlaceAt'];
  readonly lookAgainAt: MountedFileSystem['lookAgainAt'];
}

export async function answerTrashRequest(
  request: TrashRequest,
  { api, jobs, readOnly, trashPlaceAt, lookAgainAt }: TrashParts,
  signal: AbortSignal,
): Promise<TrashAnswer> {
  if (readOnly && request.action !== 'list') throw new Error('this mount is read-only (--read-only)');
  const place = await trashPlaceAt(request.path, signal);
  const trash = new ProjectTrash({ files: api.files, jobs, signal });
  const done = await workOn(trash, place, request);
  if (request.action !== 'list')
    for (const path of [TRASH, ...done.restored]) lookAgainAt(join('projects', place.project, path));
  const { failures } = done;
  return {
    answer: 'trash',
    project: place.project,
    at: place.at,
    files: done.files,
    restored: done.restored,
    failures: failures.failures,
    failed: failures.failed,
  };
}

/** The same without a mount. */
export async function workOn(
  trash: ProjectTrash,
  place: Parameters<ProjectTrash['list']>[0] & { readonly project: string },
  request: TrashRequest,
): Promise<{
  readonly files: readonly TrashedFile[];
  readonly restored: readonly string[];
  readonly failures: PathFailures;
}> {
  const failures = new PathFailures();
  if (request.action === 'restore') {
    const restored: string[] = [];
    for (const file of request.files) {
      try {
        restored.push((await trash.restore(place, file, request)).join('/'));
      } catch (error) {
        failures.add(file.now.join('/'), error);
      }
    }
    return { files: [], restored, failures };
  }
  const { olderThanMs } = request;
  const olderThan = olderThanMs === undefined ? undefined : { ms: olderThanMs, nowMs: Date.now() };
  if (request.action === 'list') return { files: await trash.list(place, olderThan), restored: [], failures };
  await trash.empty(place, olderThan, join(place.project, TRASH));
  return { files: [], restored: [], failures };
}
