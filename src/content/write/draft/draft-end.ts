/** The ways in which a draft ends, and what each leaves: nothing, its bytes for a person, or what is owed for the next mount. */
import { ContentError, type KeepingReason, type KeptBytes } from '../../ports.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import type { DraftUpload } from '../upload/draft-upload.ts';
import type { DraftPublisher } from './draft-publisher.ts';
import type { DraftRecord } from './draft-record.ts';
import { keepDraft } from './keep-draft.ts';
import type { WriterContext } from './writer-context.ts';

export interface DraftEndOptions {
  readonly context: Pick<WriterContext, 'journal' | 'spoolPath'>;
  readonly record: DraftRecord;
  readonly content: DraftContent;
  readonly upload: DraftUpload;
  readonly publisher: DraftPublisher;
  /** Of all that goes on for it. */
  readonly work: AbortController;
  /** It was discarded, kept or closed. */
  readonly onLeave: () => void;
}

export class DraftEnd {
  readonly #options: DraftEndOptions;
  #left = false;

  constructor(options: DraftEndOptions) {
    this.#options = options;
  }

  /** As `Draft.discard`. */
  async discard(): Promise<void> {
    const { context, upload } = this.#options;
    await this.#stop('the draft was discarded');
    if (this.#left) return;
    await upload.abandon();
    await this.#leave({ keepSpool: false });
    await context.journal.doneDurable();
  }

  /** As `Draft.keep`. */
  async keep(because: KeepingReason): Promise<KeptBytes | undefined> {
    const { context, record, content, upload } = this.#options;
    await this.#stop('the draft was given up');
    const { extents, released, spooled } = content;
    const unfinished = released ? upload.state : undefined;
    // A file without bytes, or of holes, is kept as any other; what is all of versions at the service is not.
    const isElsewhere = !spooled && extents.some(({ origin }) => origin.kind === 'version');
    if (this.#left || (isElsewhere && unfinished === undefined)) {
      await this.discard();
      return undefined;
    }
    // A refusal of the disk makes the draft doubtful. A failed sync must not end this: nobody else ends the draft.
    await content.sync().catch(() => {});
    const { doubtful } = content;
    if (unfinished === undefined) await upload.abandon();
    // Should its bytes not get aside, the next mount tries that again, and does not publish them.
    record.owed.forget();
    record.save();
    await this.#leave({ keepSpool: true });
    const { id, label, target } = record;
    const { annotations } = record.annotations.entry;
    const kept = { id, label, target, annotations, extents, upload: unfinished, doubtful, spooled };
    return keepDraft(kept, because, context);
  }

  /** As `Draft.close`. */
  async close(): Promise<void> {
    const { record, publisher } = this.#options;
    await publisher.ended();
    if (this.#left) return;
    const { isOwed } = record;
    if (isOwed) record.save();
    await this.#leave({ keepSpool: isOwed });
  }

  /** The mount ends: stops what is under way, and leaves it to the next mount. */
  async suspend(): Promise<void> {
    const { record, content } = this.#options;
    if (record.owed.isDisowned) return this.discard();
    await this.#stop('the mount is ending');
    // Without this sync a later mount could not tell whether the bytes are whole, should the machine end as well. The
    // later mount reports a disk that refuses it.
    if (!this.#left && record.isOwed) await content.sync().catch(() => {});
    await this.close();
  }

  async #stop(reason: string): Promise<void> {
    const { work, publisher } = this.#options;
    work.abort(new ContentError('failed', reason));
    await publisher.ended();
  }

  async #leave(options: { readonly keepSpool: boolean }): Promise<void> {
    const { context, record, content, work, onLeave } = this.#options;
    this.#left = true;
    record.end();
    work.abort(new ContentError('failed', 'the draft is closed'));
    await content.close(options);
    if (!options.keepSpool) context.journal.record({ type: 'end', id: record.id });
    onLeave();
  }
}
