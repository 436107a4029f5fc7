/**
 * Metadata and tags of files. Of a published file a change is on the platform when the call returns. Of one that is
 * being written it waits (`pending`) and becomes one request together with the new content; the draft keeps it with what
 * it owes to the platform.
 */
import type { Annotations } from '../../content/ports.ts';
import { Mutex } from '../../lib/mutex.ts';
import { isAhead } from '../attributes/is-ahead.ts';
import { isReservedKey, userPairs } from '../attributes/reserved-pairs.ts';
import { FsError } from '../fs-error.ts';
import type { ProjectFileNode } from '../node.ts';
import { annotationsFor, keptMetadata } from '../open/annotations.ts';
import type { Tree } from '../tree.ts';
import type { Pairs } from './limits.ts';
import { requireCount } from './limits.ts';

export class FileMetadata {
  readonly #tree: Pick<Tree, 'api'>;
  /** Changes of one file go one after the other: each is built on what the last one left. */
  readonly #locks = new WeakMap<ProjectFileNode, Mutex>();

  constructor(tree: Pick<Tree, 'api'>) {
    this.#tree = tree;
  }

  pairs(node: ProjectFileNode): Pairs {
    const published = isAhead(node) ? keptMetadata(node) : (node.record?.metadata ?? {});
    return { ...userPairs(published), ...node.pending?.metadata };
  }

  tags(node: ProjectFileNode): readonly string[] {
    return node.pending?.tags ?? node.record?.tags ?? [];
  }

  merge(node: ProjectFileNode, pairs: Pairs, signal: AbortSignal): Promise<void> {
    return this.#changing(node, async () => {
      requireCount({ ...node.record?.metadata, ...node.pending?.metadata, ...pairs });
      const id = publishedId(node);
      if (id === undefined) return addPending(node, { metadata: pairs });
      keepMetadata(node, id, await this.#tree.api.files.patchMetadata(id, pairs, { signal }));
    });
  }

  removePair(node: ProjectFileNode, key: string, signal: AbortSignal): Promise<void> {
    return this.#changing(node, async () => {
      dropPending(node, key);
      const id = node.record?.id;
      if (id === undefined || !Object.hasOwn(node.record?.metadata ?? {}, key)) return;
      // No call removes one pair. What others set meanwhile is kept, but for the moment between the two requests.
      const current = await this.#tree.api.files.get(id, { signal });
      const rest = Object.entries(current.kind === 'file' ? current.metadata : {}).filter(
        ([name]) => name !== key,
      );
      keepMetadata(
        node,
        id,
        await this.#tree.api.files.putMetadata(id, Object.fromEntries(rest), { signal }),
      );
    });
  }

  /** Our own pairs stay as they are. */
  replaceAll(node: ProjectFileNode, pairs: Pairs, signal: AbortSignal): Promise<void> {
    return this.#changing(node, async () => {
      const own = Object.entries(node.record?.metadata ?? {}).filter(([key]) => isReservedKey(key));
      const metadata = { ...Object.fromEntries(own), ...pairs };
      requireCount(metadata);
      const id = node.record?.id;
      node.pending = node.pending && { ...node.pending, metadata: {} };
      if (id === undefined) return addPending(node, { metadata });
      keepMetadata(node, id, await this.#tree.api.files.putMetadata(id, metadata, { signal }));
    });
  }

  setTags(node: ProjectFileNode, tags: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#changing(node, async () => {
      const id = publishedId(node);
      if (id === undefined) return addPending(node, { tags });
      const kept = await this.#tree.api.files.putTags(id, tags, { signal });
      if (node.record?.id === id) node.record = { ...node.record, tags: kept };
    });
  }

  async #changing(node: ProjectFileNode, change: () => Promise<void>): Promise<void> {
    const lock = this.#locks.get(node) ?? new Mutex();
    this.#locks.set(node, lock);
    try {
      await lock.run(async () => {
        await change();
        if (isAhead(node)) await node.draft?.annotate(annotationsFor(node));
      });
    } catch (error) {
      // Whether the platform took it is not known: the next lookup asks.
      if (!(error instanceof FsError)) node.checkedMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }
}

function publishedId(node: ProjectFileNode): string | undefined {
  return isAhead(node) ? undefined : node.record?.id;
}

function addPending(node: ProjectFileNode, more: Partial<Annotations>): void {
  node.pending = {
    metadata: { ...node.pending?.metadata, ...more.metadata },
    tags: more.tags ?? node.pending?.tags,
  };
}

function dropPending(node: ProjectFileNode, key: string): void {
  if (!node.pending) return;
  const rest = Object.entries(node.pending.metadata).filter(([name]) => name !== key);
  node.pending = { ...node.pending, metadata: Object.fromEntries(rest) };
}

/** The record may have been refreshed while the platform answered. */
function keepMetadata(node: ProjectFileNode, id: string, metadata: Pairs): void {
  if (node.record?.id === id) node.record = { ...node.record, metadata };
}
