import { untilAborted } from '../../../lib/until-aborted.ts';
import { holdingAnnotations } from '../../attributes/annotation-lock.ts';
import { localFacts, localFactsSent, showFacts } from '../../attributes/local-facts.ts';
import { oweChange } from '../../attributes/owe-change.ts';
import { fittingBeside, tellLeftOut } from '../../attributes/pairs-that-fit.ts';
import { type ReservedFacts, reservedPairs } from '../../attributes/reserved-pairs.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import { pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';

type Pairs = Readonly<Record<string, string>>;

/** Changes for a file that go with one request, which has not begun yet. */
interface Waiting {
  facts: ReservedFacts;
  readonly written: Promise<void>;
}

/**
 * Mode and time of published files: one request, before the call that sets them returns or after it (`oweChange`). Changes
 * that are made while that request waits for its turn join it. A file that is being written takes them along with its next
 * content instead.
 */
export class AttributeWriter {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #waiting = new Map<ProjectFileNode, Waiting>();
  readonly #writing = new Set<Promise<void>>();

  constructor(tree: Tree, contents: Contents) {
    this.#tree = tree;
    this.#contents = contents;
  }

  /** The file shows `facts` at once, and not any more when they are refused: that is thrown. */
  set(node: ProjectFileNode, facts: ReservedFacts): Promise<void> {
    showFacts(node, facts);
    const waiting = this.#waiting.get(node);
    if (!waiting) return this.#begin(node, facts);
    waiting.facts = { ...waiting.facts, ...facts };
    return waiting.written;
  }

  /** Writes what the file shows and no content took along. */
  async write(node: ProjectFileNode): Promise<void> {
    const facts = localFacts(node);
    if (Object.keys(facts).length > 0) await this.set(node, facts);
  }

  /** As `write`, when nobody waits for it: a failure is recorded. */
  writeUnheard(node: ProjectFileNode): void {
    const { mode, mtimeNs } = localFacts(node);
    const attribute = mode !== undefined ? 'mode' : mtimeNs !== undefined ? 'time' : 'owner';
    this.write(node).catch((error: unknown) =>
      this.#tree.recordError({ op: 'setattr', attribute, path: pathOf(node) }, error),
    );
  }

  /** Waits for all that is being written. */
  async idle(signal: AbortSignal): Promise<void> {
    while (this.#writing.size > 0) await untilAborted(Promise.allSettled(this.#writing), signal);
  }

  #begin(node: ProjectFileNode, facts: ReservedFacts): Promise<void> {
    const inTurn = (): Promise<void> => {
      const joined = this.#waiting.get(node)?.facts ?? facts;
      this.#waiting.delete(node);
      return this.#write(node, joined);
    };
    // It waits for a moment in any case: what is set together comes together.
    const written = Promise.resolve().then(() =>
      this.#contents.holding([node], () => holdingAnnotations([node], inTurn)),
    );
    this.#waiting.set(node, { facts, written });
    this.#writing.add(written);
    const over = (): boolean => this.#writing.delete(written);
    written.then(over, over);
    return written;
  }

  async #write(node: ProjectFileNode, facts: ReservedFacts): Promise<void> {
    const { record } = node;
    const content = this.#contents.find(node);
    // Somebody removed it, or began to write it: its next content takes them along.
    if (!record || content?.unlinked || (content?.unpublished ?? 'none') !== 'none') return;
    const own = reservedPairs(facts);
    const pairs = fittingBeside(record.metadata, own);
    if (Object.keys(pairs).length < Object.keys(own).length) tellLeftOut(this.#tree, node);
    const isThere = Object.entries(pairs).every(([key, value]) => record.metadata[key] === value);
    try {
      if (!isThere) await this.#send(node, record.id, pairs);
    } finally {
      // The record tells of them, or they are not to be shown.
      localFactsSent(node, facts);
      this.#tree.kernel.invalidateNode(node.id, -1);
    }
  }

  /** Answers all pairs that the file has then. */
  async #made(node: ProjectFileNode, id: string, pairs: Pairs): Promise<Pairs> {
    const change = { metadata: pairs, dropped: [], tags: undefined };
    if (await oweChange(this.#tree, node, id, change)) return { ...node.record?.metadata, ...pairs };
    return this.#tree.api.files.patchMetadata(id, pairs);
  }

  async #send(node: ProjectFileNode, id: string, pairs: Pairs): Promise<void> {
    try {
      const metadata = await this.#made(node, id, pairs);
      const { pending, checkedMs, record } = node;
      // It may have been refreshed while the platform answered.
      if (record?.id === id) this.#tree.published(node, { ...record, metadata });
      node.pending = pending;
      // The answer tells of the id: another client may have given the file another name.
      node.checkedMs = checkedMs;
    } catch (error) {
      // Another client may have set more pairs than are known here.
      if (errnoOf(error) === 'E2BIG') return tellLeftOut(this.#tree, node);
      // Whether the platform took it may not be known: the next lookup asks.
      this.#tree.doubt(node);
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw new FsError('ESTALE', `${node.name} is another file now`, { cause: error });
    }
  }
}
