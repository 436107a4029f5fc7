import type { Node } from '../model/node.ts';
import type { Place } from '../model/operations.ts';
import type { Tree } from '../model/tree.ts';
import type { OpenMode } from '../open-flags.ts';

/** Who keeps what is there must not believe in an absence of yesterday: it would be another client's file that goes. */
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
