import { untilAborted } from '../../../lib/until-aborted.ts';
import { holdingAnnotations } from '../../attributes/annotation-lock.ts';
import { localFacts, localFactsSent, showFacts } from '../../attributes/local-facts.ts';
import { oweChange } from '../../attributes/owe-change.ts';
import { fittingBeside, tellLeftOut } from '../../attributes/pairs-that-fit.ts';
import { type ReservedFacts, reservedPairs } from '../../attributes/reserved-pairs.ts';
import { errnoOf, isAbort } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import { pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';

type Pairs = Readonly<Record<string, string>>;

/** Changes for a file that go with one request, which has not begun yet. */
interface Waiting {
  facts: ReservedFacts;
  /** Callers that have not given it up. */
  callers: number;
  /** All have, and the request is withdrawn unless it was sent. */
  readonly givenUp: AbortController;
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

  /**
   * The file shows `facts` at once, and not any more when they are refused: that is thrown. The signal withdraws them as long
   * as no request with them was sent, and nobody else waits for it.
   */
  set(node: ProjectFileNode, facts: ReservedFacts, signal?: AbortSignal): Promise<void> {
    showFacts(node, facts);
    const waiting = this.#waiting.get(node) ?? this.#begin(node);
    waiting.facts = { ...waiting.facts, ...facts };
    waiting.callers += 1;
    const leave = (): void => {
      waiting.callers -= 1;
      if (waiting.callers === 0) waiting.givenUp.abort(signal?.reason);
    };
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
    return waiting.written.finally(() => signal?.removeEventListener('abort', leave));
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

  #begin(node: ProjectFileNode): Waiting {
    const inTurn = (): Promise<void> => {
      this.#waiting.delete(node);
      return this.#write(node, waiting.facts, waiting.givenUp.signal);
    };
    // It waits for a moment in any case: what is set together comes together.
    const written = Promise.resolve().then(() =>
      this.#contents.holding([node], () => holdingAnnotations([node], inTurn)),
    );
    const waiting: Waiting = { facts: {}, callers: 0, givenUp: new AbortController(), written };
    this.#waiting.set(node, waiting);
    this.#writing.add(written);
    const over = (): boolean => this.#writing.delete(written);
    written.then(over, over);
    return waiting;
  }

  async #write(node: ProjectFileNode, facts: ReservedFacts, untilSent: AbortSignal): Promise<void> {
    const { record } = node;
    const content = this.#contents.find(node);
    // Somebody removed it, or began to write it: its next content takes them along.
    if (!record || content?.unlinked || (content?.unpublished ?? 'none') !== 'none') return;
    const own = reservedPairs(facts);
    const pairs = fittingBeside(record.metadata, own);
    if (Object.keys(pairs).length < Object.keys(own).length) tellLeftOut(this.#tree, node);
    const isThere = Object.entries(pairs).every(([key, value]) => record.metadata[key] === value);
    try {
      if (!isThere) await this.#send(node, record.id, pairs, untilSent);
    } finally {
      // The record tells of them, or they are not to be shown.
      localFactsSent(node, facts);
      this.#tree.kernel.invalidateNode(node.id, -1);
    }
  }

  /** Answers all pairs that the file has then. */
  async #made(node: ProjectFileNode, id: string, pairs: Pairs, untilSent: AbortSignal): Promise<Pairs> {
    const change = { metadata: pairs, dropped: [], tags: undefined };
    if (await oweChange(this.#tree, node, id, change)) return { ...node.record?.metadata, ...pairs };
    return this.#tree.api.files.patchMetadata(id, pairs, { untilSent });
  }

  async #send(node: ProjectFileNode, id: string, pairs: Pairs, untilSent: AbortSignal): Promise<void> {
    try {
      const metadata = await this.#made(node, id, pairs, untilSent);
      const { pending, checkedMs, record } = node;
      // It may have been refreshed while the platform answered.
      if (record?.id === id) this.#tree.published(node, { ...record, metadata });
      node.pending = pending;
      // The answer tells of the id: another client may have given the file another name.
      node.checkedMs = checkedMs;
    } catch (error) {
      // Another client may have set more pairs than are known here.
      if (errnoOf(error) === 'E2BIG') return tellLeftOut(this.#tree, node);
      // It was not sent.
      if (untilSent.aborted && isAbort(error)) throw error;
      // Whether the platform took it may not be known: the next lookup asks.
      this.#tree.doubt(node);
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw new FsError('ESTALE', `${node.name} is another file now`, { cause: error });
    }
  }
}
