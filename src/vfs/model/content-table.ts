import { runHolding } from '../../lib/mutex.ts';
import { type ContentNode, FileContent } from './file-content.ts';

/** The inodes that are open or not yet published, or are being changed on the platform. */
export class ContentTable {
  readonly #byNode = new Map<ContentNode, FileContent>();

  of(node: ContentNode): FileContent {
    const known = this.#byNode.get(node);
    if (known) return known;
    const content = new FileContent(node);
    this.#byNode.set(node, content);
    return content;
  }

  /** Undefined: neither open nor unpublished. */
  find(node: ContentNode): FileContent | undefined {
    return this.#byNode.get(node);
  }

  values(): IterableIterator<FileContent> {
    return this.#byNode.values();
  }

  /** An entry without handle, draft or anyone waiting says nothing. */
  forget(content: FileContent): void {
    const { handles, hasDraft, lock, wanted } = content;
    const idle = handles.size === 0 && !hasDraft && !lock.busy && wanted === 0;
    if (idle && this.#byNode.get(content.node) === content) this.#byNode.delete(content.node);
  }

  /** Runs `task` while nothing else changes what these inodes are on the platform. */
  async holding<T>(nodes: readonly ContentNode[], task: () => Promise<T>): Promise<T> {
    const contents = nodes.map((node) => this.of(node)).sort((a, b) => a.node.id - b.node.id);
    const locks = contents.map(({ lock }) => lock);
    // A caller that waits for the lock of one has not asked for that of the next yet.
    for (const content of contents) content.wanted += 1;
    try {
      return await runHolding(locks, task);
    } finally {
      for (const content of contents) {
        content.wanted -= 1;
        this.forget(content);
      }
    }
  }
}
