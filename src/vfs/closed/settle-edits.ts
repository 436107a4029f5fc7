import type { Edit } from '../../edits/edit.ts';
import { messageOf } from '../../lib/message-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Tree } from '../model/tree.ts';

/**
 * Waits until the changes of metadata that there are by now are on the platform or refused by it. Answers those for which one
 * try has failed, and why: they go on. Throws the signal's reason.
 */
export async function settleEdits(
  { edits }: Pick<Tree, 'edits'>,
  signal: AbortSignal,
): Promise<readonly { readonly edit: Edit; readonly error: FsError }[]> {
  if (!edits) return [];
  const meant = edits.waiting;
  const ids = new Set(meant.map(({ id }) => id));
  try {
    await edits.settle(({ id }) => ids.has(id), signal);
    return [];
  } catch (cause) {
    signal.throwIfAborted();
    // One of a file tells of all.
    const left = new Map(edits.waiting.flatMap((edit) => (ids.has(edit.id) ? [[edit.file, edit]] : [])));
    return [...left.values()].map((edit) => {
      const reason = `${edit.label}: its new metadata is not on the platform yet: ${messageOf(cause)}`;
      return { edit, error: new FsError('EIO', reason, { cause }) };
    });
  }
}
