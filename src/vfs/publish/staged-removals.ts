import type { FileRecord } from '../../api/model.ts';
import { messageOf } from '../../lib/message-of.ts';
import { Retries } from '../../lib/retries.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { shownName } from '../model/escape.ts';
import type { FileContent } from '../model/file-content.ts';
import { folderIdOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

interface Removal {
  readonly file: FileRecord;
  readonly whenGone: () => Promise<void>;
}

/**
 * Takes files out of the staging folder. Nobody's work fails because one cannot be removed now: the log tells, and it is
 * tried again as long as the mount lives.
 */
export class StagedRemovals {
  readonly #tree: Tree;
  readonly #removals: Retries<Removal>;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#removals = new Retries(tree.clock, (removal) => this.#isDone(removal));
  }

  /** Removes the file that was staged for a content, if any. Waits for the first try only, and never rejects. */
  async removeOf(content: FileContent, whenGone: () => Promise<void>): Promise<void> {
    const { staged } = content;
    content.staged = undefined;
    if (staged) await this.#removals.add({ file: staged, whenGone });
    else await whenGone();
  }

  /** Tries once more, now. Never rejects. */
  tryAll(): Promise<void> {
    return this.#removals.tryAll();
  }

  /** Tries no more. */
  close(): void {
    this.#removals.close();
  }

  async #isDone({ file, whenGone }: Removal): Promise<boolean> {
    try {
      await this.#delete(file);
      await whenGone();
      return true;
    } catch (error) {
      const reason = messageOf(error);
      this.#tree.log.warn({ file: file.name, project: file.project, reason }, 'staged file not removed yet');
      return false;
    }
  }

  /** Someone else may have deleted it. */
  async #delete(file: FileRecord): Promise<void> {
    try {
      await this.#tree.api.files.delete(file.id);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    showGone(this.#tree, file);
  }
}

/** A listing of the folder no longer shows an entry for a minute after it was taken out. */
export function showGone(tree: Tree, { parent, name }: Pick<FileRecord, 'parent' | 'name'>): void {
  for (const node of tree.nodes.values()) {
    if (node.kind === 'project-folder' && folderIdOf(node) === parent)
      tree.gone(node, shownName(name, 'entry'));
  }
}
