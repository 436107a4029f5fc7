import { untilAborted } from '../../lib/until-aborted.ts';
import { holdingAnnotations } from '../attributes/annotation-lock.ts';
import { reservedPairs } from '../attributes/reserved-pairs.ts';
import type { ProjectFileNode } from '../node.ts';
import { pathOf } from '../node.ts';
import type { Contents } from '../open/contents.ts';
import { localFacts, localFactsSent } from '../open/local-facts.ts';
import type { Tree } from '../tree.ts';

/** `touch` and `chmod` of many files, or of one several times, are one request a file that much later. */
const DELAY_MS = 1000;

/**
 * Writes mode and time of published files a little later. Whatever is asked for the file meanwhile (a publication, a
 * rename) takes them along; then nothing is left to write here.
 */
export class AttributeWriter {
  readonly #tree: Tree;
  readonly #contents: Contents;
  readonly #waiting = new Map<ProjectFileNode, AbortController>();
  readonly #writing = new Set<Promise<void>>();
  /** Of which that failed: they show it, and the platform does not have it. */
  readonly #failed = new Set<ProjectFileNode>();

  constructor(tree: Tree, contents: Contents) {
    this.#tree = tree;
    this.#contents = contents;
  }

  writeLater(node: ProjectFileNode): void {
    if (this.#waiting.has(node)) return;
    this.#failed.delete(node);
    const now = new AbortController();
    this.#waiting.set(node, now);
    const writing = this.#tree.clock
      .sleep(DELAY_MS, now.signal)
      .catch(() => undefined)
      .then(() => {
        this.#waiting.delete(node);
        return this.#writeHolding(node);
      })
      .catch((error: unknown) => {
        this.#failed.add(node);
        this.#tree.recordError({ op: 'setattr', path: pathOf(node) }, error);
      })
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Writes now what waits for this file. */
  async write(node: ProjectFileNode): Promise<void> {
    if (Object.keys(localFacts(node)).length > 0) await this.#writeHolding(node);
  }

  /** Writes everything now, and tries once more what failed. */
  async idle(signal: AbortSignal): Promise<void> {
    for (const node of this.#failed) this.writeLater(node);
    for (const now of this.#waiting.values()) now.abort();
    while (this.#writing.size > 0) await untilAborted(Promise.all(this.#writing), signal);
  }

  #writeHolding(node: ProjectFileNode): Promise<void> {
    return this.#contents.holding([node], () => holdingAnnotations([node], () => this.#write(node)));
  }

  async #write(node: ProjectFileNode): Promise<void> {
    const { record } = node;
    const facts = localFacts(node);
    // Not published yet, or not as it is now: the publication takes them along.
    if (!record || this.#contents.of(node).unpublished !== 'none') return;
    const pairs = reservedPairs(facts);
    if (Object.keys(pairs).length === 0) return;
    const metadata = await this.#tree.api.files.patchMetadata(record.id, pairs, { priority: 'data' });
    const { pending, checkedMs } = node;
    // It may have been refreshed while the platform answered.
    if (node.record?.id === record.id) this.#tree.published(node, { ...node.record, metadata });
    node.pending = pending;
    // The answer tells of the id: another client may have given the file another name.
    node.checkedMs = checkedMs;
    localFactsSent(node, facts);
  }
}
