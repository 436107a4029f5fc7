import type { FileRecord } from '../../api/model.ts';
import type { Annotations } from '../../content/ports.ts';
import { asideName } from '../aside-name.ts';
import { errnoOf } from '../errno-of.ts';
import { FsError } from '../fs-error.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../node.ts';
import { folderIdOf, pathOf, projectOf } from '../node.ts';
import type { Tree } from '../tree.ts';
import type { AsideEntry, AsideJournal } from './aside-journal.ts';

/**
 * Files out of the way: in the root folder of their project, under a name that says why. The platform deletes for
 * ever and refuses taken names, so whatever may have to be undone, or is still being read, waits there. Each is in
 * the journal before it is moved and until it is deleted or back.
 */
export class Asides {
  readonly #tree: Tree;
  readonly #journal: AsideJournal;

  constructor(tree: Tree, journal: AsideJournal) {
    this.#tree = tree;
    this.#journal = journal;
  }

  /** Moves an open file whose name goes away; `delete` it with its last handle. */
  async keepForHandles(record: FileRecord, node: ProjectFileNode): Promise<void> {
    const place = { parent: folderIdOf(parentOf(node)), name: record.name };
    await this.#away(record, node, { kind: 'leaving', fileId: record.id, place });
    await this.#journal.put({ kind: 'unlinked', fileId: record.id });
  }

  /**
   * Moves the file that `node` shows aside, has `replace` put the file `by` in its place, and answers what that
   * answers. When it fails, everything is as it was.
   */
  async replacing(
    node: ProjectFileNode,
    by: { readonly fileId: string; readonly carried: Annotations; readonly keep: boolean },
    replace: () => Promise<FileRecord>,
  ): Promise<FileRecord> {
    const { record } = node;
    if (!record) return replace();
    const place = { parent: folderIdOf(parentOf(node)), name: record.name };
    const { fileId: byFileId, carried } = by;
    await this.#away(record, node, { kind: 'replaced', fileId: record.id, place, byFileId, carried });
    const replaced = await replace().catch((error: unknown) => this.#back(record.id, place, error));
    if (by.keep) await this.#journal.put({ kind: 'unlinked', fileId: record.id });
    else await this.#deleteUnheard(record.id, pathOf(node));
    return replaced;
  }

  async delete(fileId: string): Promise<void> {
    await unlessGone(this.#tree.api.files.delete(fileId));
    await this.#journal.remove(fileId);
  }

  /** Finishes or undoes what an ended mount left; what fails is recorded and tried again by the next mount. */
  async recover(): Promise<void> {
    for (const entry of await this.#journal.entries()) {
      try {
        await this.#recoverOne(entry);
      } catch (error) {
        this.#tree.recordError({ op: 'recover', path: asideName(entry.fileId) }, error);
      }
    }
  }

  async #recoverOne(entry: AsideEntry): Promise<void> {
    if (entry.kind === 'unlinked') return this.delete(entry.fileId);
    const { files } = this.#tree.api;
    const there = await files.find(entry.place);
    if (entry.kind === 'replaced' && there?.id === entry.byFileId) {
      const { metadata, tags } = entry.carried;
      await unlessGone(files.edit(entry.byFileId, { metadata, ...(tags && { tags }) }));
      return this.delete(entry.fileId);
    }
    if (there && there.id !== entry.fileId)
      throw new FsError('EEXIST', `${entry.place.name} is taken: the file that had the name stays aside`);
    // Still there, it never left.
    if (!there) await unlessGone(files.move(entry.fileId, entry.place));
    await this.#journal.remove(entry.fileId);
  }

  async #away(record: FileRecord, node: ProjectFileNode, entry: AsideEntry): Promise<void> {
    await this.#journal.put(entry);
    try {
      const { rootFolder } = projectOf(node);
      await this.#tree.api.files.move(record.id, { parent: rootFolder, name: asideName(record.id) });
    } catch (error) {
      // Without an answer nobody knows where the file is: the next mount looks.
      if (isAnswer(error)) await this.#journal.remove(record.id);
      throw error;
    }
  }

  async #back(fileId: string, place: { parent: string; name: string }, cause: unknown): Promise<never> {
    await this.#tree.api.files.move(fileId, place);
    await this.#journal.remove(fileId);
    throw cause;
  }

  /** The replacement is done: that the old file is still there harms nobody, and the next mount deletes it. */
  async #deleteUnheard(fileId: string, path: string): Promise<void> {
    try {
      await this.delete(fileId);
    } catch (error) {
      this.#tree.recordError({ op: 'rename', path }, error);
    }
  }
}

/** Someone else may have deleted the file: then nothing is left to do about it. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'ApiError';
}

function parentOf(node: ProjectFileNode): ProjectFolderNode {
  if (node.parent?.kind === 'project-folder') return node.parent;
  throw new FsError('ESTALE', `${node.name} is no longer in a project`);
}
