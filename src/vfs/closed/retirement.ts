import type { Draft } from '../../content/ports.ts';
import type { FileContent } from '../model/file-content.ts';
import type { Tree } from '../model/tree.ts';
import type { Publisher } from '../publish/publisher.ts';
import { type GivenUp, giveUp } from './give-up.ts';

const NOTHING_MORE = async (): Promise<void> => {};

/** Lets go of what no handle needs any more: a draft that is published, refused, to be kept aside, or of an inode without a name. */
export class Retirement {
  readonly #tree: Tree;
  readonly #publisher: Publisher;
  readonly #onReinstated: (content: FileContent) => void;

  /** `onReinstated` is told of what has its name again, which a draft that is given up had taken. */
  constructor(tree: Tree, publisher: Publisher, onReinstated: (content: FileContent) => void) {
    this.#tree = tree;
    this.#publisher = publisher;
    this.#onReinstated = onReinstated;
  }

  /** Lets the draft go once there is no handle, and nobody changes it. The caller holds the content's lock. */
  async retire(content: FileContent): Promise<void> {
    if (content.handles.size > 0 || content.changes > 0) return;
    const { unpublished, keepBecause, isDropped } = content;
    const isOver = content.unlinked || content.hopeless || isDropped || keepBecause !== undefined;
    if (unpublished !== 'none' && !isOver) return;
    content.isDropped = false;
    content.refused = undefined;
    content.keepBecause = undefined;
    content.unpublished = 'none';
    const draft = content.takeDraft();
    if (content.unlinked) await this.#discardUnlinked(content, draft);
    else if (unpublished === 'none') await draft?.close();
    else await this.#giveUp(content, { draft, keepBecause, isDropped });
  }

  async #giveUp(content: FileContent, what: GivenUp): Promise<void> {
    const { staged } = content;
    if (what.draft) await this.#publisher.putBackReplaced(what.draft);
    const reinstated = await this.#reinstated(content);
    const before = { staged, replaced: reinstated?.node };
    const isDispensable = await giveUp(this.#tree, content.node, { ...what, ...before });
    if (reinstated) this.#onReinstated(reinstated);
    if (isDispensable) await this.#publisher.removeStaged(content, NOTHING_MORE);
  }

  /** Gives the file that a draft was renamed over its name again, when handles are open on it. */
  async #reinstated({ replaces }: FileContent): Promise<FileContent | undefined> {
    if (!replaces || replaces.content.handles.size === 0) return undefined;
    const { content } = replaces;
    content.unlinked = false;
    await content.node.draft?.reclaim();
    return content;
  }

  async #discardUnlinked(content: FileContent, draft: Draft | undefined): Promise<void> {
    await draft?.discard();
    if (draft) await this.#publisher.removeReplaced(draft);
    await this.#publisher.removeStaged(content, NOTHING_MORE);
    await content.whenClosed?.();
  }
}
