/**
 * rename(2), in the order in which things happen:
 *
 *  1. This file looks at both names, and tries again when another client changes them.
 *  2. The plan says what the rename becomes (`kind-of-rename.ts`).
 *  3. Moved files get to the platform first (`require-sent.ts`).
 *  4. A file takes over the pairs and tags of the one that it replaces (`inherited.ts`).
 *  5. One file for each way does it: `rename-file.ts`, `move-to-project.ts`, `rename-folder.ts` (with `moved-folder.ts`),
 *     `rename-new-object.ts`, `rename-object.ts`, `transfer.ts`.
 */

import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { RenameFlags } from '../../file-system.ts';
import { requireName } from '../../model/names.ts';
import { type FolderNode, isDirectory, type Node, type SpecialFileNode } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import { requireOverwrites } from '../../model/protection.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';
import { askAgain } from '../aside/ask-again.ts';
import { NameTaken } from '../aside/name-taken.ts';
import { childNow } from '../aside/named-now.ts';
import { unlink } from '../remove/unlink.ts';
import { planRename, type RenamePlan } from './kind-of-rename.ts';
import { moveToProject } from './move-to-project.ts';
import { renameFile } from './rename-file.ts';
import { renameFolder } from './rename-folder.ts';
import { renameNewObject } from './rename-new-object.ts';
import { renameObject } from './rename-object.ts';
import type { RenameParts } from './rename-parts.ts';
import { exportNode, importNode } from './transfer.ts';

export interface RenameRequest {
  readonly from: Place;
  readonly to: Place;
  readonly flags: RenameFlags;
}

/** Another client may change what has a name each time that we have looked: so often at most. */
const MOST_TRIES = 10;
/** Of a rename that is a job of the platform, while that answers that something is not there. */
const MOST_JOBS = 3;

/**
 * rename(2): looks at both ends, plans, does. The signal ends the looking, and withdraws a single call that was not sent; a
 * rename that has begun is finished. When
 * another client changes the names meanwhile, the ends are looked at again: rename(2) replaces the entry that is there
 * then, or takes a name that is free then.
 */
export async function rename(parts: RenameParts, request: RenameRequest, signal: AbortSignal): Promise<void> {
  for (let tries = 1, isTaken = false; ; tries += 1) {
    try {
      return await attempt(parts, request, { signal, isTaken });
    } catch (error) {
      const because = whyAgain(error, request.flags);
      if (because === undefined) throw error;
      const most = error instanceof GoneMeanwhile && error.isOfJob ? MOST_JOBS : MOST_TRIES;
      if (tries >= most) throw because === 'stale' ? error : keepsChanging(request, error);
      isTaken = because === 'taken';
      // Someone put a file there since we looked: that is the one to replace.
      if (isTaken) parts.tree.expire(request.to.parent);
      if (because === 'gone')
        for (const { parent, name } of [request.from, request.to]) askAgain(parts.tree, parent, name);
    }
  }
}

/** The platform does not know by now what was there when we looked: one of the two files, or a folder. */
class GoneMeanwhile extends Error {
  readonly isOfJob: boolean;

  constructor(cause: unknown, { isOfJob }: { readonly isOfJob: boolean }) {
    super('gone', { cause });
    this.isOfJob = isOfJob;
  }
}

function whyAgain(error: unknown, { noReplace }: RenameFlags): 'taken' | 'gone' | 'stale' | undefined {
  if (error instanceof GoneMeanwhile) return 'gone';
  if (!noReplace && isNameTaken(error)) return 'taken';
  return errnoOf(error) === 'ESTALE' ? 'stale' : undefined;
}

function keepsChanging({ to }: RenameRequest, error: unknown): FsError {
  const cause = error instanceof GoneMeanwhile ? error.cause : error;
  return new FsError('EBUSY', `other clients keep changing what has the name ${to.name}: do it again`, {
    cause,
  });
}

async function attempt(
  parts: RenameParts,
  { from, to, flags }: RenameRequest,
  { signal, isTaken }: { readonly signal: AbortSignal; readonly isTaken: boolean },
): Promise<void> {
  const { tree } = parts;
  if (flags.exchange || flags.whiteout)
    throw new FsError('EINVAL', 'the platform has no call that exchanges two names');
  const source = await childNow(tree, from, signal);
  if (!source) throw new FsError('ENOENT', `there is no ${from.name}`);
  const target = await childNow(tree, to, signal);
  if (target) requireTwoFiles(tree, source, target);
  const canCopy = isCopiedByStore(tree, source, to.parent);
  const plan = planRename({ source, to, target, noReplace: flags.noReplace, canCopy });
  if (plan.kind === 'nothing') return;
  // An import leaves its source as it is: it may be on a read-only volume.
  if (plan.kind !== 'import') requireWritable(tree, from.parent);
  requireWritable(tree, to.parent);
  if (target && !isDirectory(target)) requireOverwrites(tree, target);
  requireName(to.parent, to.name, isDirectory(source) ? 'folder' : 'file');
  const merges = target?.kind === 'project-folder' || (target?.kind === 'volume-directory' && !target.local);
  try {
    await carryOut(parts, plan, {
      name: to.name,
      merges,
      noReplace: flags.noReplace,
      isTaken,
      untilSent: signal,
    });
  } catch (error) {
    // Of many files that are exported, some may be by now.
    if (plan.kind === 'export' || !isNotThere(error)) throw error;
    throw new GoneMeanwhile(error, { isOfJob: isJob(plan) });
  }
}

function isCopiedByStore({ api }: Tree, source: Node, parent: Node): boolean {
  const isOnVolume = source.kind === 'volume-object' || source.kind === 'volume-directory';
  if (!isOnVolume || parent.kind !== 'volume-directory') return false;
  return api.buckets.canCopy(source.volume.id, parent.volume.id);
}

/** Inside a project a file is renamed by a call, and a pipe by none. */
function isJob(plan: RenamePlan): boolean {
  return plan.kind === 'file' ? plan.source.project !== plan.parent.project : plan.kind !== 'special';
}

/** The platform says so: what we find out ourselves is so. */
function isNotThere(error: unknown): boolean {
  const isAnswer = error instanceof Error && (error.name === 'ApiError' || error.name === 'JobError');
  return isAnswer && errnoOf(error) === 'ENOENT';
}

function carryOut(
  parts: RenameParts,
  plan: Exclude<RenamePlan, { kind: 'nothing' }>,
  to: {
    readonly name: string;
    readonly merges: boolean;
    readonly noReplace: boolean;
    readonly isTaken: boolean;
    readonly untilSent: AbortSignal;
  },
): Promise<void> {
  const { name, isTaken } = to;
  switch (plan.kind) {
    case 'file':
      return plan.source.project === plan.parent.project
        ? renameFile(parts, { ...plan, ...to })
        : moveToProject(parts, { ...plan, name, isTaken });
    case 'folder':
      return renameFolder(parts, { ...plan, name });
    case 'new-object':
      return renameNewObject(parts, { ...plan, ...to });
    case 'object':
      return renameObject(parts, { ...plan, ...to });
    case 'export':
      return exportNode(parts, plan.source, { ...plan, ...to });
    case 'special':
      return renameSpecialFile(parts, { ...plan, name });
    case 'import':
      return importNode(parts, plan.source, { ...plan, ...to });
    default:
      return plan satisfies never;
  }
}

/** Another client renamed a file to another name that we know: it has one of the two. A draft of it may have the other all the same. */
function requireTwoFiles(tree: Tree, source: Node, target: Node): void {
  if (source === target || source.kind !== 'project-file' || target.kind !== 'project-file') return;
  if (source.record === undefined || source.record.id !== target.record?.id) return;
  for (const node of [source, target]) tree.doubt(node);
  if (source.draft || target.draft) return;
  throw new FsError('ESTALE', `${source.name} and ${target.name} are one file`);
}

function isNameTaken(error: unknown): boolean {
  if (error instanceof NameTaken) return true;
  return error instanceof Error && error.name === 'ApiError' && errnoOf(error) === 'EEXIST';
}

/** Within its project or volume. A file that has the name is removed from the platform first. */
async function renameSpecialFile(
  parts: RenameParts,
  rename: {
    readonly source: SpecialFileNode;
    readonly parent: FolderNode;
    readonly name: string;
    readonly target: Node | undefined;
  },
): Promise<void> {
  const { source, target, ...to } = rename;
  if (target && target.kind !== 'special-file') await unlink(parts, to, NEVER_ABORTED);
  parts.tree.moved(source, to);
}
