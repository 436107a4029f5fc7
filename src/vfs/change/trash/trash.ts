import type { CallOptions } from '../../../api/call-options.ts';
import type { FileRecord } from '../../../api/model.ts';
import { FILE_NAME_LENGTH_MAX } from '../../../contract/limits.ts';
import { matcherOf } from '../../../lib/match-names.ts';
import { TRASH } from '../../../places/trash-folder.ts';
import { TrashFolders } from '../../../trash/trash-folders.ts';
import { nameInTrash } from '../../../trash/trash-name.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import {
  folderIdOf,
  isDirectory,
  type ProjectFileNode,
  type ProjectFolderNode,
  projectOf,
} from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

const MOST_TRIES = 3;

/**
 * The trash of each project (`--trash`). One call moves there a file that is removed or replaced, so that its id, tags and
 * metadata stay. Names that tools use for a moment and what is in the trash already really go.
 */
export class Trash {
  readonly #tree: Tree;
  readonly #isTemporary: (name: string) => boolean;
  readonly #folders: TrashFolders;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#isTemporary = matcherOf(tree.options.temporaryInProjects);
    this.#folders = new TrashFolders({ files: tree.api.files, clock: tree.clock });
  }

  /** Whether a file that loses this name goes to the trash. */
  takes(node: ProjectFileNode): boolean {
    if (this.#tree.options.trashDays === undefined || this.#isTemporary(node.name)) return false;
    return node.parent?.kind === 'project-folder' && namesOf(node.parent)[0] !== TRASH;
  }

  /** Moves the file that has the name of `node` on the platform. */
  async take(record: FileRecord, node: ProjectFileNode, options?: CallOptions): Promise<void> {
    const { rootFolder } = projectOf(node);
    const names = node.parent?.kind === 'project-folder' ? namesOf(node.parent) : [];
    for (let tries = 1, isTaken = false; ; tries += 1) {
      const parent = await this.#folders.of(rootFolder, names);
      const name = nameInTrash(record.name, this.#tree.clock.now(), { isTaken });
      if ([...name].length > FILE_NAME_LENGTH_MAX) throw tooLong(record.name);
      try {
        await this.#tree.api.files.move(record.id, { parent, name }, options);
        break;
      } catch (error) {
        const errno = errnoOf(error);
        if (tries >= MOST_TRIES || (errno !== 'EEXIST' && errno !== 'ENOENT')) throw error;
        isTaken ||= errno === 'EEXIST';
        // Somebody emptied the trash; or the file itself is gone, and is not found again.
        if (errno === 'ENOENT') this.#folders.forget();
      }
    }
    this.#expire(node);
  }

  /** Whether a folder is one that files were taken to. */
  hasFolder(id: string): boolean {
    return this.#folders.has(id);
  }

  /** The mount shows what is in the trash now to who looks into it. */
  #expire(node: ProjectFileNode): void {
    let root = node.parent;
    while (root?.kind === 'project-folder' && root.record) root = root.parent;
    if (root?.kind !== 'project-folder') return;
    const trash = this.#folders.trashOf(folderIdOf(root));
    const known = root.children.get(TRASH);
    const there = known?.kind === 'present' ? known.node : undefined;
    if (there?.kind === 'project-folder' && there.record?.id === trash?.id) expireBelow(this.#tree, there);
    else if (trash) this.#tree.placedRecord(root, trash);
  }
}

function expireBelow(tree: Tree, directory: Parameters<Tree['expire']>[0]): void {
  tree.expire(directory);
  for (const child of directory.children.nodes()) if (isDirectory(child)) expireBelow(tree, child);
}

/** From the root folder of the project down, as the platform has them. */
function namesOf(folder: ProjectFolderNode): readonly string[] {
  const { record, parent } = folder;
  if (!record) return [];
  return parent?.kind === 'project-folder' ? [...namesOf(parent), record.name] : [record.name];
}

function tooLong(name: string): FsError {
  return new FsError(
    'EPERM',
    `the trash has a file ${name} of today, and the name of a second one would be too long: empty the trash (svcfs trash ` +
      'empty), or give the file a shorter name first',
  );
}
