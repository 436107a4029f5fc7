/** A folder whose move was begun, and of which nobody tells how that ended: it may be where it was, or where it was to go. */
import type { FolderRecord } from '../../../api/model.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { folderNameOnPlatform } from '../../model/escape.ts';
import type { ProjectFolderNode } from '../../model/node.ts';
import { folderIdOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

/** Who waits for the rename has waited for long. */
const LOOK_MS = 10_000;

interface Move {
  readonly source: ProjectFolderNode;
  readonly parent: ProjectFolderNode;
  readonly name: string;
}

/** Whether the platform may have done what failed. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TransportError' || error.name === 'JobError');
}

/** What it is now: it has another id where it was to go, and the old one is gone. Undefined: it is not there. */
export async function movedFolder(
  { api }: Tree,
  { source, parent, name }: Move,
): Promise<FolderRecord | undefined> {
  const signal = AbortSignal.timeout(LOOK_MS);
  if (!(await isGone(api.files.get(folderIdOf(source), { signal })))) return undefined;
  const there = await api.files.find(
    { parent: folderIdOf(parent), name: folderNameOnPlatform(name) },
    { signal },
  );
  return there?.kind === 'folder' ? there : undefined;
}

async function isGone(asking: Promise<unknown>): Promise<boolean> {
  try {
    await asking;
    return false;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return true;
  }
}

/**
 * Waits until the job that was last asked to move what has this path is over, as far as it is known. False: the mount ends, and
 * nobody asks any more.
 */
export async function untilOver({ jobs }: Tree, path: string): Promise<boolean> {
  const job = jobs.ofPath(path);
  for (;;) {
    try {
      if (job) await jobs.wait(job.id);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'WatchingEnded') return false;
      // A question that fails ends the waiting, and not the job.
    }
  }
}
