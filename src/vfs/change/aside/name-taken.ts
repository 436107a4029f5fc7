/**
 * A name that was free when we looked, and that another client has taken since.
 *
 * The platform's jobs do not refuse such a name. A file gets a number before its own name (`_1_f`), and a folder is
 * merged with the other. For rename(2) there is neither: it replaces the entry, or fails.
 */
import type { EntryRecord, FileRecord } from '../../../api/model.ts';
import { FsError } from '../../errors/fs-error.ts';
import { shownFolderName, shownName } from '../../model/escape.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import { pathOf, projectOf } from '../../model/node.ts';
import { transferTargetOf } from '../../model/transfer-ends.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain } from './ask-again.ts';

/** All is as before: the rename can be tried again, now that it is known what has the name. */
export class NameTaken extends FsError {
  constructor(name: string) {
    super('EEXIST', `another client has taken the name ${name} meanwhile`);
  }
}

interface Numbered {
  readonly source: ProjectFileNode;
  /** The file as it is now, under a name that nobody asked for. */
  readonly moved: FileRecord;
  readonly to: { readonly parent: ProjectFolderNode; readonly name: string };
}

/** Moves a file that did not get its name back to where it was, and throws `NameTaken`; or says where it is now. */
export async function goBack(tree: Tree, { source, moved, to }: Numbered): Promise<never> {
  const { parent, name, record } = source;
  askAgain(tree, to.parent, to.name);
  if (parent?.kind !== 'project-folder' || !record) throw leftElsewhere(to, { at: to.parent, record: moved });
  try {
    const outcome = await tree.jobs.move({
      source: { kind: 'file', file: moved, permissions: projectOf(to.parent).permissions },
      target: transferTargetOf(parent, record.name),
      overwrite: false,
      paths: { source: `${pathOf(to.parent)}/${shownName(moved.name, 'entry')}`, target: pathOf(source) },
    });
    const back = outcome.kind === 'entry' && outcome.entry.kind === 'file' ? outcome.entry : moved;
    if (back.name !== record.name) throw leftElsewhere(to, { at: parent, record: back });
  } catch (error) {
    for (const directory of [parent, to.parent]) tree.expire(directory);
    askAgain(tree, parent, name);
    throw error instanceof FsError ? error : leftElsewhere(to, { at: to.parent, record: moved }, error);
  }
  throw new NameTaken(to.name);
}

/** `cause`: why it could not go back. */
export function leftElsewhere(
  to: { readonly name: string },
  { at, record }: { readonly at: ProjectFolderNode; readonly record: EntryRecord },
  cause?: unknown,
): FsError {
  const shown = record.kind === 'folder' ? shownFolderName(record.name) : shownName(record.name, 'entry');
  const where = `${shown} in ${pathOf(at)}`;
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new FsError('EIO', `${to.name} was taken meanwhile, and the moved entry is ${where} now${why}`, {
    cause,
  });
}
