/** A file gets another name in another project, by a job of the platform: its id stays, its node does not. */
import type { FileRecord } from '../../../api/model.ts';
import type { TransferOutcome } from '../../../jobs/ports.ts';
import { FsError } from '../../errors/fs-error.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import { pathOf } from '../../model/node.ts';
import { goBack } from '../aside/name-taken.ts';
import { renameEnds, requireNamesStill } from '../aside/named-now.ts';
import { fileToReplace } from '../aside/replaced-file.ts';
import { carriedOver, describedAs, NOTHING } from './carried-over.ts';
import { moveOnPlatform } from './move-on-platform.ts';
import type { FileRename } from './rename-file.ts';
import type { RenameParts } from './rename-parts.ts';
import { requireAllSent, whileAllSent } from './require-all-sent.ts';
import { giving } from './take-back.ts';

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
    tree.placedRecord(to.parent, file);
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
