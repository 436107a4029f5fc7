/**
 * Metadata and tags of files. Of a published file a change is on the platform when the call returns, or follows it
 * (`oweChange`). Of one that is being written it waits (`pending`) and becomes one request together with the new content;
 * the draft keeps it with what it owes to the platform.
 */
import type { FileRecord } from '../../api/model.ts';
import type { Annotations, FileChange } from '../../content/ports.ts';
import { changedBy } from '../../edits/edit.ts';
import { isReservedKey, userPairs } from '../../metadata/own-pairs.ts';
import { holdingAnnotations } from '../attributes/annotation-lock.ts';
import { annotationsFor, isAhead, keptMetadata, pairsToBe } from '../attributes/annotations.ts';
import { oweChange } from '../attributes/owe-change.ts';
import { fits, tellLeftOut, withinLimit } from '../attributes/pairs-that-fit.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { type Pairs, requireCount } from './limits.ts';

type Parts = Pick<Tree, 'api' | 'clock' | 'published' | 'doubt' | 'recordError' | 'edits'>;

export class FileMetadata {
  readonly #tree: Parts;

  constructor(tree: Parts) {
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
    return this.#changing(node, signal, async () => {
      requireCount({ ...pairsToBe(node), ...pairs });
      const id = publishedId(node);
      if (id === undefined) return addPending(node, { metadata: pairs });
      if (await this.#follows(node, id, { metadata: pairs })) return;
      this.#keep(node, id, { metadata: await this.#merged(node, id, pairs, signal) });
    });
  }

  removePair(node: ProjectFileNode, key: string, signal: AbortSignal): Promise<void> {
    return this.#changing(node, signal, async () => {
      const id = node.record?.id;
      if (id === undefined || !Object.hasOwn(node.record?.metadata ?? {}, key)) return dropPending(node, key);
      if (publishedId(node) === id && (await this.#follows(node, id, { dropped: [key] }))) return;
      const { files } = this.#tree.api;
      // No call removes one pair. Pairs that another client sets meanwhile are kept, except in the moment between the two
      // requests.
      const remove = async (): Promise<Pairs> => {
        const current = await files.get(id, { signal });
        const there = current.kind === 'file' ? current.metadata : {};
        return files.putMetadata(id, without(there, [key]), { signal });
      };
      const metadata = await unlessReplaced(node, remove, without(node.record?.metadata ?? {}, [key]));
      dropPending(node, key);
      this.#keep(node, id, { metadata });
    });
  }

  /** Our own pairs stay as they are. */
  replaceAll(node: ProjectFileNode, pairs: Pairs, signal: AbortSignal): Promise<void> {
    return this.#changing(node, signal, async () => {
      requireCount(pairs);
      const wanted = { ...ownPairs(node.record?.metadata ?? {}), ...pairs };
      const metadata = withinLimit(wanted);
      if (!fits(wanted)) tellLeftOut(this.#tree, node);
      const id = node.record?.id;
      const old = Object.keys(node.record?.metadata ?? {});
      const dropped = old.filter((key) => !Object.hasOwn(metadata, key));
      if (
        id !== undefined &&
        publishedId(node) === id &&
        (await this.#follows(node, id, { metadata, dropped }))
      )
        return;
      const put = (fileId: string): Promise<Pairs> =>
        this.#tree.api.files.putMetadata(fileId, metadata, { signal });
      const kept = id === undefined ? undefined : await unlessReplaced(node, () => put(id), metadata);
      // Pairs that describe the content are not carried over from a record.
      const isNext = publishedId(node) === undefined;
      node.pending = { metadata: isNext ? pairs : {}, tags: node.pending?.tags };
      if (id === undefined || kept === undefined) return;
      this.#keep(node, id, { metadata: kept });
    });
  }

  setTags(node: ProjectFileNode, tags: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#changing(node, signal, async () => {
      const id = publishedId(node);
      if (id === undefined) return addPending(node, { tags });
      if (await this.#follows(node, id, { tags })) return;
      this.#keep(node, id, { tags: await this.#tree.api.files.putTags(id, tags, { signal }) });
    });
  }

  /** One request, or two where pairs of our own have to give way: no call removes a pair. */
  async #merged(node: ProjectFileNode, id: string, pairs: Pairs, signal: AbortSignal): Promise<Pairs> {
    const { files } = this.#tree.api;
    if (fits({ ...node.record?.metadata, ...pairs })) return files.patchMetadata(id, pairs, { signal });
    const current = await files.get(id, { signal });
    const there = current.kind === 'file' ? current.metadata : {};
    tellLeftOut(this.#tree, node);
    return files.putMetadata(id, withinLimit({ ...there, ...pairs }), { signal });
  }

  /** False: it is to be made now. Pairs of our own give way where there is no room. */
  async #follows(node: ProjectFileNode, id: string, change: Partial<FileChange>): Promise<boolean> {
    const before = node.record?.metadata ?? {};
    const { metadata = {}, dropped = [], tags } = change;
    const wanted = without({ ...before, ...metadata }, dropped);
    const kept = withinLimit(wanted);
    const gaveWay = Object.keys(wanted).filter((key) => !Object.hasOwn(kept, key));
    const owed = {
      metadata: without(metadata, gaveWay),
      dropped: [...dropped, ...gaveWay.filter((key) => Object.hasOwn(before, key))],
      tags,
    };
    if (!(await oweChange(this.#tree, node, id, owed))) return false;
    if (gaveWay.length > 0) tellLeftOut(this.#tree, node);
    const { record } = node;
    if (record) this.#keep(node, id, changedBy(record, owed));
    return true;
  }

  async #changing(node: ProjectFileNode, signal: AbortSignal, change: () => Promise<void>): Promise<void> {
    const make = async (): Promise<void> => {
      while (!(await madeInPlace(node, change)));
      node.changedMs = this.#tree.clock.now();
      if (isAhead(node)) await node.draft?.annotate(annotationsFor(node));
    };
    try {
      await holdingAnnotations([node], make, signal);
    } catch (error) {
      if (error instanceof FsError) throw error;
      // Whether the platform took it is not known: the next lookup asks.
      this.#tree.doubt(node);
      if (errnoOf(error) !== 'ENOENT') throw error;
      // Another client removed or replaced it: the kernel looks the name up again.
      throw new FsError('ESTALE', `${node.name} is another file now`, { cause: error });
    }
  }

  /** The record may have been refreshed while the platform answered, and an older answer may be on its way. */
  #keep(node: ProjectFileNode, id: string, changed: Partial<Pick<FileRecord, 'metadata' | 'tags'>>): void {
    const { record, pending, checkedMs } = node;
    if (record?.id !== id) return;
    this.#tree.published(node, { ...record, ...changed });
    // Nothing else was sent, and of the rest the platform told nothing.
    node.pending = pending;
    node.checkedMs = checkedMs;
  }
}

/** Makes a change; false when the file has other content meanwhile, another file on the platform, which may lack it. */
async function madeInPlace(node: ProjectFileNode, change: () => Promise<void>): Promise<boolean> {
  const id = publishedId(node);
  try {
    await change();
  } catch (error) {
    if (publishedId(node) === id) throw error;
  }
  return publishedId(node) === id;
}

/**
 * Changes what a file has. One whose next content is on its way may have been replaced by that, which is told what it is to
 * have: `metadata`.
 */
async function unlessReplaced(
  node: ProjectFileNode,
  change: () => Promise<Pairs>,
  metadata: Pairs,
): Promise<Pairs> {
  try {
    return await change();
  } catch (error) {
    if (!isAhead(node) || errnoOf(error) !== 'ENOENT') throw error;
    return metadata;
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
  node.pending = { ...node.pending, metadata: without(node.pending.metadata, [key]) };
}

function ownPairs(pairs: Pairs): Pairs {
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => isReservedKey(key)));
}

function without(pairs: Pairs, keys: readonly string[]): Pairs {
  if (keys.length === 0) return pairs;
  return Object.fromEntries(Object.entries(pairs).filter(([name]) => !keys.includes(name)));
}
