import { escapedName, shownFolderName, shownName } from '../model/escape.ts';
import { isKept } from '../model/identity.ts';
import { type FolderNode, folderIdOf, isFolder } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** Names of a folder or a level of a volume, as the platform has them, that mean something else now. */
export interface LearntEntries {
  readonly directory: { readonly folder: string } | { readonly volume: string; readonly prefix: string };
  readonly names: readonly string[];
}

/**
 * Somebody at this machine made, moved or removed entries past the mount, which asks for them anew. With `known` as `right`, the
 * names are there: those that the mount has an entry of stay as they are.
 */
export function learnEntries(
  tree: Pick<Tree, 'nodes' | 'invalidate'>,
  changes: readonly LearntEntries[],
  known: 'doubtful' | 'right' = 'doubtful',
): void {
  const byKey = new Map<string, Set<string>>();
  for (const { directory, names } of changes) {
    const key = 'folder' in directory ? directory.folder : keyOf(directory.volume, directory.prefix);
    const known = byKey.get(key) ?? new Set();
    byKey.set(key, known);
    for (const name of names) known.add(name);
  }
  for (const node of [...tree.nodes.values()].filter(isFolder)) {
    for (const name of byKey.get(keyOfNode(node)) ?? []) {
      for (const shown of shownNames(node, name)) {
        const child = node.children.get(shown);
        // A file that was begun here stays, and finds out at its end.
        const stays = child?.kind === 'present' && (known === 'right' || isKept(child.node));
        if (!stays) tree.invalidate(node, shown);
      }
    }
  }
}

function keyOf(volume: string, prefix: string): string {
  return `${volume}\0${prefix}`;
}

function keyOfNode(node: FolderNode): string {
  if (node.kind === 'volume-directory') return keyOf(node.volume.id, node.prefix);
  // Nothing was looked at in a project whose root folder is not known.
  return node.record === undefined && node.project.record === undefined ? '' : folderIdOf(node);
}

/** A name may be that of a file or a folder, and each has its escape. */
function shownNames(node: FolderNode, name: string): ReadonlySet<string> {
  return new Set([
    shownName(name, 'entry'),
    node.kind === 'project-folder' ? shownFolderName(name) : escapedName(name, 'prefix'),
  ]);
}
