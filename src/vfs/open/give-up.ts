import type { Draft } from '../../content/ports.ts';
import { FsError } from '../fs-error.ts';
import { pathOf } from '../node.ts';
import type { Tree } from '../tree.ts';
import type { ContentNode } from './file-content.ts';

/**
 * What is on the platform is what counts again. The program was told so, or there is a reason to keep its bytes: the one
 * given, or that fsync(2) answered that they are safe.
 */
export async function giveUp(
  tree: Tree,
  node: ContentNode,
  { draft, keepBecause }: { readonly draft: Draft | undefined; readonly keepBecause: FsError | undefined },
): Promise<void> {
  const { parent, name } = node;
  const path = pathOf(node);
  node.writtenMs = undefined;
  if (!node.record) tree.detach(node);
  if (parent) tree.invalidate(parent, name);
  tree.kernel.invalidateNode(node.id, 0);
  const because = keepBecause ?? (draft?.synced ? failedThoughSynced(name) : undefined);
  if (draft === undefined || because === undefined) await draft?.discard();
  else tree.recordError({ op: 'close', path }, await keptAside(draft, because));
}

/** The reason, and where the bytes are. */
async function keptAside(draft: Draft, because: FsError): Promise<FsError> {
  const kept = await draft.keep();
  const without = kept?.missing === undefined ? '' : `, but ${kept.missing}`;
  const where = kept ? `what was written is kept at ${kept.path}${without}` : 'nothing was written';
  return new FsError(because.errno, `${because.message}; ${where}`);
}

function failedThoughSynced(name: string): FsError {
  return new FsError('EIO', `${name} was synced, and could not be published`);
}
