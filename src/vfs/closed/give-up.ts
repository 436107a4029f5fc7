import type { FileRecord } from '../../api/model.ts';
import type { Draft, KeepingReason, KeptBytes } from '../../content/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ContentNode } from '../model/file-content.ts';
import { pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

export interface GivenUp {
  readonly draft: Draft | undefined;
  readonly keepBecause: FsError | undefined;
  /** The caller wants none of its bytes, acknowledged or not. */
  readonly isDropped: boolean;
}

interface Before {
  readonly staged: FileRecord | undefined;
  readonly replaced: ContentNode | undefined;
}

/**
 * Gives a draft up: the file on the platform counts again. The program was told so, or there is a reason to keep the
 * bytes: the given one, or that fsync(2) answered that they are safe. The open file `replaced` had the name. Answers
 * whether the `staged` file is needed no more.
 */
export async function giveUp(
  tree: Tree,
  node: ContentNode,
  { draft, keepBecause, isDropped, staged, replaced }: GivenUp & Before,
): Promise<boolean> {
  const { parent, name } = node;
  const path = pathOf(node);
  node.writtenMs = undefined;
  if (!node.record) tree.detach(node);
  if (parent) tree.invalidate(parent, name);
  if (parent && replaced) tree.moved(replaced, { parent, name });
  tree.kernel.invalidateNode(node.id, 0);
  const because = keepBecause ?? (draft?.synced ? failedThoughSynced(name) : undefined);
  if (draft === undefined || because === undefined || isDropped) {
    await draft?.discard();
    return true;
  }
  const isEmpty = draft.sizeBytes === 0;
  const kept = await draft.keep(
    keepingReason(because, { atMs: tree.clock.now(), acknowledged: draft.committed }),
  );
  const isAllHere = kept ? kept.missing === undefined : isEmpty;
  tree.recordError({ op: 'close', path }, withPlace(because, kept, isAllHere ? undefined : staged));
  return isAllHere;
}

/** Keeps what a close acknowledged for a person. Answers the reason, and where the bytes are. */
export async function keptAside(
  draft: Pick<Draft, 'keep'>,
  because: FsError,
  atMs: number,
): Promise<FsError> {
  const kept = await draft.keep(keepingReason(because, { atMs, acknowledged: true }));
  return withPlace(because, kept, undefined);
}

function keepingReason(
  { errno, message }: FsError,
  { atMs, acknowledged }: Pick<KeepingReason, 'atMs' | 'acknowledged'>,
): KeepingReason {
  // A program that was killed was told nothing.
  return { reason: message, atMs, acknowledged: acknowledged && errno !== 'EINTR' };
}

/** The reason, and where the bytes are: here, as far as they are, and those in the `staged` file. */
function withPlace(because: FsError, kept: KeptBytes | undefined, staged: FileRecord | undefined): FsError {
  const without = kept?.missing === undefined ? '' : `, but ${kept.missing}`;
  const here = kept ? [`the written bytes are kept at ${kept.path}${without}`] : [];
  const there = staged ? [`the upload is file ${staged.id} in ${staged.project}`] : [];
  const places = [...here, ...there].join('; ') || 'nothing was written';
  return new FsError(because.errno, `${because.message}; ${places}`, { cause: because.cause });
}

function failedThoughSynced(name: string): FsError {
  return new FsError('EIO', `${name} was synced, and could not be published`);
}
