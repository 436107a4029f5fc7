import type { DirSink } from '../file-system.ts';
import { inodeNumber } from '../model/inode-number.ts';
import type { SyntheticName } from '../model/synthetic.ts';
import { fileTypeOfSynthetic } from './attributes.ts';
import type { Names } from './names.ts';
import type { DirectoryNode } from './node.ts';
import { staleWhenGone } from './stale-when-gone.ts';

interface OpenNames {
  readonly node: DirectoryNode;
  readonly names: Names | undefined;
}

const DOTS = ['.', '..'] as const;

/** Gives the names from an offset on, and asks for a page only while it has none to give. */
export async function readNames(
  { node, names }: OpenNames,
  offset: number,
  { sink, signal }: { readonly sink: DirSink; readonly signal: AbortSignal },
): Promise<void> {
  let hasPlaced = false;
  for (let index = offset; ; index++) {
    const dot = DOTS[index];
    if (dot !== undefined) {
      const { ino } = dot === '..' ? (node.parent ?? node) : node;
      const type = fileTypeOfSynthetic('directory');
      if (!sink.add({ name: dot, ino, type, nextOffset: index + 1 })) return;
      continue;
    }
    const at = index - DOTS.length;
    const next =
      names?.at(at) ??
      (hasPlaced ? undefined : await staleWhenGone(node, async () => names?.reach(at, signal)));
    if (next === undefined || !sink.add(entryOf(node, next, index + 1))) return;
    hasPlaced = true;
  }
}

function entryOf(
  node: DirectoryNode,
  { name, kind }: SyntheticName,
  nextOffset: number,
): Parameters<DirSink['add']>[0] {
  return { name, ino: inodeNumber(`${node.ino}/${name}`), type: fileTypeOfSynthetic(kind), nextOffset };
}
