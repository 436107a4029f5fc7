import type { EntryRecord, FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';
import type { Errno } from '../../../lib/errno.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import { asideName, isAside } from '../../model/aside-name.ts';
import type { FileContent, ReplacedFile } from '../../model/file-content.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import { folderIdOf, pathOf, projectOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Trash } from '../trash/trash.ts';
import type { AsideEntry, AsideJournal, Place } from './aside-journal.ts';
import { NameTaken } from './name-taken.ts';

/** A file that went aside, and where from. */
interface Left {
  readonly fileId: string;
  readonly place: Place;
}

/** A file that is aside because another one takes its name. */
interface Replaced {
  readonly fileId: string;
  /** Somebody has it open. */
  readonly keep: boolean;
}

/**
 * Files out of the way: in the root folder of their project, under a name that says why. The platform deletes for
 * ever and refuses taken names, so whatever may have to be undone, or is still being read, waits there. Each is in
 * the journal before it is moved and until it is deleted or back. With a trash they wait in that, and stay when they
 * would be deleted.
 */
export class Asides {
  readonly #tree: Tree;
  readonly #journal: AsideJournal;
  readonly #trash: Trash;
  /** Files aside that are in the trash. */
  readonly #inTrash = new Set<string>();
  /**
   * Files whose name another client took after they had gone aside, by the file that replaces both. They are deleted
   * together with the file that took the name.
   */
  readonly #overtaken = new Map<string, readonly Replaced[]>();

  constructor(tree: Tree, journal: AsideJournal, trash: Trash) {
    this.#tree = tree;
    this.#journal = journal;
    this.#trash = trash;
  }

  /** Whether the file that has the name of a node goes to the trash, and is not to be replaced in its place. */
  keeps(node: ProjectFileNode): boolean {
    return this.#trash.takes(node);
  }

  /** Has `replace` replace the file that has the name of `node`. With a trash that file is there first, and back should it fail. */
  async keepingReplaced<T>(
    file: Pick<ReplacedFile, 'record'> | undefined,
    node: ProjectFileNode,
    replace: () => Promise<T>,
  ): Promise<T> {
    if (!file || !this.keeps(node)) return replace();
    const left = { fileId: file.record.id, place: placeOf(file.record, node) };
    await this.setAside(file.record, node, { kind: 'leaving', ...left });
    const replaced = await replace().catch(async (error: unknown) => {
      await this.putBack(left);
      throw error;
    });
    await this.delete(left.fileId);
    return replaced;
  }

  /** Writes down what is to be done about a file that is aside. */
  note(entry: AsideEntry): Promise<void> {
    return this.#journal.put(this.#inTrash.has(entry.fileId) ? { ...entry, inTrash: true } : entry);
  }

  /** Moves an open file whose name goes away; `delete` it with its last handle. */
  async keepForHandles(record: FileRecord, node: ProjectFileNode): Promise<void> {
    const place = placeOf(record, node);
    const left = { fileId: record.id, place };
    await this.setAside(record, node, { kind: 'leaving', ...left });
    try {
      await this.note({ kind: 'unlinked', fileId: record.id });
    } catch (error) {
      await this.putBack(left);
      throw error;
    }
  }

  /**
   * Moves the file that has the name of `node` aside, has `replace` put the file `by` in its place, and answers what
   * that answers. When it fails, everything is as it was.
   */
  async replacing(
    { record, node }: Pick<ReplacedFile, 'record'> & { readonly node: ProjectFileNode },
    by: { readonly fileId: string; readonly carried: Annotations; readonly keep: boolean },
    replace: () => Promise<FileRecord>,
  ): Promise<FileRecord> {
    const place = placeOf(record, node);
    const { fileId: byFileId, carried } = by;
    const left = { fileId: record.id, place, byFileId };
    await this.setAside(record, node, { kind: 'replaced', carried, ...left });
    const old = { fileId: record.id, keep: by.keep };
    const overtaken = this.#overtaken.get(byFileId) ?? [];
    const isOvertaken = (): void => void this.#overtaken.set(byFileId, [...overtaken, old]);
    const replaced = await replace().catch((error: unknown) => this.#doneOrBack(left, error, isOvertaken));
    this.#overtaken.set(byFileId, [...overtaken, old]);
    await this.deleteOvertaken(byFileId, pathOf(node));
    return replaced;
  }

  /** The file `byFileId` has the name: what went aside for it is deleted, now or when nobody has it open. Never rejects. */
  async deleteOvertaken(byFileId: string, path: string): Promise<void> {
    const overtaken = this.#overtaken.get(byFileId) ?? [];
    this.#overtaken.delete(byFileId);
    for (const { fileId, keep } of overtaken)
      await this.#unheard(path, () =>
        keep ? this.note({ kind: 'unlinked', fileId }) : this.#deleteOrNote(fileId),
      );
  }

  /** A file in the trash stays there. */
  async delete(fileId: string): Promise<void> {
    if (!this.#inTrash.has(fileId)) await unlessGone(this.#tree.api.files.delete(fileId));
    await this.#journal.remove(fileId);
  }

  /**
   * Another file may have the name by the next mount. That mount is to delete this one, and neither to bring it back nor
   * to ask.
   */
  async #deleteOrNote(fileId: string): Promise<void> {
    try {
      await this.delete(fileId);
    } catch (error) {
      await this.note({ kind: 'unlinked', fileId });
      throw error;
    }
  }

  /** Deletes a file that is aside when its last handle is closed; without handles at once. */
  async deleteAfter(fileId: string, content: FileContent | undefined): Promise<void> {
    if (this.#inTrash.has(fileId)) return this.delete(fileId);
    await this.note({ kind: 'unlinked', fileId });
    if (content && content.handles.size > 0) content.whenClosed = () => this.delete(fileId);
    else await this.delete(fileId);
  }

  /** Finishes or undoes what an ended mount left, but for what waits for a draft; what fails is recorded and tried again by the next mount. */
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
    if (entry.inTrash) this.#inTrash.add(entry.fileId);
    if (entry.kind === 'superseded') return;
    if (entry.kind === 'unlinked') return this.delete(entry.fileId);
    const there = await this.#thereNow(entry);
    if (entry.kind === 'replaced' && there?.id === entry.byFileId) {
      const { metadata, tags } = entry.carried;
      await unlessGone(this.#tree.api.files.edit(entry.byFileId, { metadata, ...(tags && { tags }) }));
      return this.delete(entry.fileId);
    }
    await this.#putBack(entry, there);
  }

  /** Where it was, unless another has that name. */
  async putBack(entry: Left): Promise<void> {
    await this.#putBack(entry, await this.#thereNow(entry));
  }

  async #putBack({ fileId, place }: Left, there: EntryRecord | undefined): Promise<void> {
    if (there && there.id !== fileId) throw staysAside('EEXIST', `${place.name} is taken`, fileId);
    // Still there, it never left.
    if (!there) await unlessGone(this.#tree.api.files.move(fileId, place));
    await this.#journal.remove(fileId);
    this.#inTrash.delete(fileId);
  }

  /** The entry that has the former name of a file moved aside. */
  async #thereNow({ fileId, place }: Left): Promise<EntryRecord | undefined> {
    try {
      return await this.#tree.api.files.find(place);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw staysAside('ENOENT', `the folder of ${place.name} is gone`, fileId);
    }
  }

  /** Moves a file that has the name of `node` aside, to be deleted or put back later. */
  async setAside(record: FileRecord, node: ProjectFileNode, entry: AsideEntry): Promise<void> {
    const inTrash = this.keeps(node);
    if (inTrash) this.#inTrash.add(record.id);
    await this.note(entry);
    try {
      await (inTrash ? this.#trash.take(record, node) : this.#moveAside(record, node));
    } catch (error) {
      if (!isAnswer(error) && (await this.#isAsideNow(record, error))) return;
      await this.#journal.remove(record.id);
      this.#inTrash.delete(record.id);
      throw error;
    }
  }

  async #moveAside({ id }: FileRecord, node: ProjectFileNode): Promise<void> {
    const { rootFolder } = projectOf(node);
    await this.#tree.api.files.move(id, { parent: rootFolder, name: asideName(id) });
  }

  /** After a move without an answer. @throws `cause` when there is none to this question either: the next mount asks it. */
  async #isAsideNow({ id }: FileRecord, cause: unknown): Promise<boolean> {
    const now = await this.#tree.api.files.get(id).catch(() => {
      throw cause;
    });
    return isAside(now) || (now.parent !== undefined && this.#trash.hasFolder(now.parent));
  }

  /** A replacement failed, or was done and nobody heard of it: then that is its answer. Else the file is back. */
  async #doneOrBack(
    left: Left & { readonly byFileId: string },
    cause: unknown,
    isOvertaken: () => void,
  ): Promise<FileRecord> {
    const there = await this.#thereNow(left);
    if (there?.kind === 'file' && there.id === left.byFileId) return there;
    // Another file took the name meanwhile: that is to be replaced, and this one in its stead.
    const isTaken = cause instanceof NameTaken || (isAnswer(cause) && errnoOf(cause) === 'EEXIST');
    if (there && isTaken) isOvertaken();
    else await this.#putBack(left, there);
    throw cause;
  }

  /** The replacement is done: that the old file is still there harms nobody, and the journal has the next mount delete it. */
  async #unheard(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
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

function staysAside(errno: Errno, because: string, fileId: string): FsError {
  const aside = `${asideName(fileId)} in the root folder of its project`;
  return new FsError(errno, `${because}: the file that had the name stays aside, as ${aside}`);
}

/** Whether the platform refused it; else it may have done it. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'ApiError';
}

/** Of the file that has the name of `node` on the platform. */
export function placeOf(record: FileRecord, node: ProjectFileNode): Place {
  return { parent: folderIdOf(parentOf(node)), name: record.name };
}

function parentOf(node: ProjectFileNode): ProjectFolderNode {
  if (node.parent?.kind === 'project-folder') return node.parent;
  throw new FsError('ESTALE', `${node.name} is no longer in a project`);
}
