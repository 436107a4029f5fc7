/**
 * A file gets another name in another project, by a job of the platform: its id stays, its node does not. Exports and imports
 * are such jobs, too.
 */
import type { FileRecord } from '../../../api/model.ts';
import type { TransferOutcome } from '../../../jobs/ports.ts';
import { FsError } from '../../errors/fs-error.ts';
import { folderNameOnPlatform, nameOnPlatform } from '../../model/escape.ts';
import { type DirectoryNode, isDirectory, type Node, pathOf } from '../../model/node.ts';
import { transferSourceOf, transferTargetOf } from '../../model/transfer-ends.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain } from '../aside/ask-again.ts';
import { goBack } from '../aside/name-taken.ts';
import { renameEnds, requireNamesStill } from '../aside/named-now.ts';
import { fileToReplace } from '../aside/replaced-file.ts';
import type { FileRename } from './file-rename.ts';
import { carriedOver, describedAs, giving, NOTHING } from './inherited.ts';

import type { RenameParts } from './rename-parts.ts';
import { requireAllSent, whileAllSent } from './require-sent.ts';

export async function moveToProject(
  parts: RenameParts,
  rename: Omit<FileRename, 'noReplace'>,
): Promise<void> {
  const { tree, contents, asides } = parts;
  const { source, target, ...to } = rename;
  const ends = renameEnds(rename);
  await requireAllSent(parts, source);
  const { parent, name } = source;
  const takeOver = async (): Promise<void> => {
    const { record } = source;
    if (!record) throw new FsError('EBUSY', `${name} is not on the platform yet`);
    const move = async (): Promise<FileRecord> => {
      const moved = fileOf(await moveOnPlatform(tree, source, { ...to, merges: false, noReplace: false }));
      return moved.name === nameOnPlatform(to.name) ? moved : goBack(tree, { source, moved, to });
    };
    const replaced = target && (await fileToReplace(parts, target, rename));
    const inUse = replaced !== undefined && replaced.content.handles.size > 0;
    const carried = target ? carriedOver(describedAs(target, replaced?.record), record) : NOTHING;
    const file = await giving(tree, { file: record, given: carried, path: pathOf(source) }, () =>
      target && replaced
        ? asides.replacing(
            { record: replaced.record, node: target },
            { fileId: record.id, carried, keep: inUse },
            move,
          )
        : move(),
    );
    await asides.deleteOvertaken(record.id, pathOf(source));
    if (replaced)
      await contents.unlinked(replaced.content, inUse ? () => asides.delete(replaced.record.id) : undefined);
    const before = target && contents.of(target);
    if (before && before !== replaced?.content) await contents.unlinked(before, undefined);
    tree.detach(source);
    tree.passOn(source);
    const moved = tree.placedRecord(to.parent, file);
    moved.changedMs = tree.clock.now();
    tree.kernel.invalidateEntry(to.parent.id, to.name);
    if (parent) tree.kernel.invalidateEntry(parent.id, name);
  };
  await contents.holding(target ? [source, target] : [source], async () => {
    if (target) await contents.findUnanswered(target);
    await requireNamesStill(tree, ends);
    await whileAllSent(contents, source, () =>
      target ? contents.whileLeaving(contents.of(target), takeOver) : takeOver(),
    );
  });
}

function fileOf(outcome: TransferOutcome): FileRecord {
  if (outcome.kind === 'entry' && outcome.entry.kind === 'file') return outcome.entry;
  throw new FsError('EIO', 'the platform did not say what became of the file');
}

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
