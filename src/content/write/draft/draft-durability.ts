/**
 * Makes a draft durable on this machine before that is acknowledged: to fsync, to a close with write-back, and to a
 * removal of its name.
 */
import { untilAborted } from '../../../lib/until-aborted.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import type { DraftUpload } from '../upload/draft-upload.ts';
import type { DraftPublisher } from './draft-publisher.ts';
import type { DraftRecord } from './draft-record.ts';
import type { WriterContext } from './writer-context.ts';

/** Up to this size bytes are made durable in the journal, where many files share one fdatasync. */
const JOURNALED_BYTES = 16 * 1024;

export interface DraftDurabilityOptions {
  readonly context: Pick<WriterContext, 'journal' | 'space'>;
  readonly record: DraftRecord;
  readonly content: DraftContent;
  readonly upload: DraftUpload;
  readonly publisher: DraftPublisher;
}

/** Its methods are those of `Draft`. */
export class DraftDurability {
  readonly #options: DraftDurabilityOptions;

  constructor(options: DraftDurabilityOptions) {
    this.#options = options;
  }

  async sync(signal: AbortSignal): Promise<void> {
    const { context, record, content, upload, publisher } = this.#options;
    const changes = record.changes.now;
    await untilAborted(content.sync(), signal);
    record.save();
    await untilAborted(context.journal.durable(), signal);
    const error = publisher.failure ?? upload.error;
    if (error !== undefined) throw error;
    record.changes.synced(changes);
  }

  async commit(signal: AbortSignal): Promise<void> {
    const { context, record, content, publisher } = this.#options;
    await publisher.orOnceMade(() => content.fetchAll(signal), signal);
    await content.settled();
    const changes = record.changes.now;
    const { sizeBytes } = content;
    await record.owed.close(sizeBytes, async () => {
      const read = await content.readWhole(JOURNALED_BYTES, signal);
      const bytes = changes === record.changes.now ? read?.toString('base64') : undefined;
      if (bytes === undefined) await untilAborted(content.sync(), signal);
      return { changes, sizeBytes, bytes };
    });
    record.changes.committed(changes);
    record.save();
    await untilAborted(context.journal.durable(), signal);
    record.changes.synced(changes);
  }

  async disown(): Promise<void> {
    const { context, record } = this.#options;
    record.owed.disown();
    record.save();
    context.space.notify();
    await context.journal.doneDurable();
  }

  async reclaim(): Promise<void> {
    const { record } = this.#options;
    record.owed.disown(false);
    record.save();
    await record.owedDurable();
  }
}
