import type { TransferOutcome } from '../../../jobs/ports.ts';
import { folderNameOnPlatform, nameOnPlatform } from '../../model/escape.ts';
import type { DirectoryNode, Node } from '../../model/node.ts';
import { isDirectory, pathOf } from '../../model/node.ts';
import { transferSourceOf, transferTargetOf } from '../../model/transfer-ends.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain } from '../aside/ask-again.ts';

export interface MoveTarget {
  readonly parent: DirectoryNode;
  readonly name: string;
  /** A folder of that name is there: it may be moved onto, to go on with an interrupted move. Nothing in it is replaced. */
  readonly merges: boolean;
  readonly noReplace: boolean;
}

/** Has the platform move what is at a name to another one; what is at both is asked for anew when that fails. */
export async function moveOnPlatform(tree: Tree, source: Node, to: MoveTarget): Promise<TransferOutcome> {
  const request = {
    source: transferSourceOf(source),
    target: transferTargetOf(to.parent, nameAt(to, source)),
    overwrite: !isDirectory(source) && !to.noReplace,
    merges: to.merges,
    paths: { source: pathOf(source), target: `${pathOf(to.parent)}/${to.name}` },
  };
  try {
    return await tree.jobs.move(request);
  } catch (error) {
    // Of several files some may be done, and all of them when only the answer was lost.
    if (source.parent) askAgain(tree, source.parent, source.name);
    askAgain(tree, to.parent, to.name);
    throw error;
  }
}

/** That of the folder that it is moved onto, which the platform itself may have made; or the one that it gets. */
function nameAt({ parent, name }: MoveTarget, source: Node): string {
  if (parent.kind !== 'project-folder' || !isDirectory(source)) return nameOnPlatform(name);
  const known = parent.children.get(name);
  const there = known?.kind === 'present' && known.node.kind === 'project-folder' ? known.node : undefined;
  return there?.record?.name ?? folderNameOnPlatform(name);
}
