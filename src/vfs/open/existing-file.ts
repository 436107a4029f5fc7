import type { Node } from '../model/node.ts';
import type { Place } from '../model/operations.ts';
import type { Tree } from '../model/tree.ts';
import type { OpenMode } from '../open-flags.ts';

/** A caller that must not replace a file asks anew about an absence: another client's file might go otherwise. */
export async function existingFile(
  tree: Tree,
  { parent, name }: Place,
  mode: OpenMode,
  signal: AbortSignal,
): Promise<Node | undefined> {
  const there = await tree.childOf(parent, name, signal);
  if (there || mode.truncate || mode.exclusive) return there;
  return tree.freshChildOf(parent, name, signal);
}
