import { errnoOf } from '../../errno-of.ts';
import type { RenameFlags } from '../../file-system.ts';
import { FsError } from '../../fs-error.ts';
import { isDirectory } from '../../node.ts';
import type { Place } from '../../operations.ts';
import { requireWritable } from '../../write-access.ts';
import { requireName } from '../names.ts';
import { NameTaken } from './name-taken.ts';
import type { RenamePlan } from './plan-rename.ts';
import { planRename } from './plan-rename.ts';
import { renameFile } from './rename-file.ts';
import { renameFolder } from './rename-folder.ts';
import { renameNewObject } from './rename-new-object.ts';
import type { TransferParts } from './transfer.ts';
import { exportNode, importNode, moveToProject } from './transfer.ts';

export interface RenameRequest {
  readonly from: Place;
  readonly to: Place;
  readonly flags: RenameFlags;
}

/** rename(2): looks at both ends, plans, does. The signal ends the looking; what is begun is finished. */
export async function rename(
  parts: TransferParts,
  request: RenameRequest,
  signal: AbortSignal,
): Promise<void> {
  try {
    await attempt(parts, request, signal);
  } catch (error) {
    // Someone put a file there since we looked: that is the one to replace.
    if (request.flags.noReplace || !isNameTaken(error)) throw error;
    parts.tree.expire(request.to.parent);
    await attempt(parts, request, signal);
  }
}

async function attempt(
  parts: TransferParts,
  { from, to, flags }: RenameRequest,
  signal: AbortSignal,
): Promise<void> {
  const { tree } = parts;
  if (flags.exchange || flags.whiteout)
    throw new FsError('EINVAL', 'the platform has no call that exchanges two names');
  const source = await tree.childOf(from.parent, from.name, signal);
  if (!source) throw new FsError('ENOENT', `there is no ${from.name}`);
  const target = await tree.childOf(to.parent, to.name, signal);
  const plan = planRename({ source, to, target, noReplace: flags.noReplace });
  if (plan.kind === 'nothing') return;
  // An import leaves its source as it is: it may be on a read-only volume.
  if (plan.kind !== 'import') requireWritable(tree, from.parent);
  requireWritable(tree, to.parent);
  requireName(to.parent, to.name, isDirectory(source) ? 'folder' : 'file');
  await carryOut(parts, plan, to.name);
}

function carryOut(
  parts: TransferParts,
  plan: Exclude<RenamePlan, { kind: 'nothing' }>,
  name: string,
): Promise<void> {
  switch (plan.kind) {
    case 'file':
      return plan.source.project === plan.parent.project
        ? renameFile(parts, { ...plan, name })
        : moveToProject(parts, plan.source, { ...plan, name });
    case 'folder':
      return renameFolder(parts, { ...plan, name });
    case 'new-object':
      return renameNewObject(parts, { ...plan, name });
    case 'export':
      return exportNode(parts, plan.source, { ...plan, name });
    case 'import':
      return importNode(parts, plan.source, { ...plan, name });
    default:
      return plan satisfies never;
  }
}

function isNameTaken(error: unknown): boolean {
  if (error instanceof NameTaken) return true;
  return error instanceof Error && error.name === 'ApiError' && errnoOf(error) === 'EEXIST';
}
