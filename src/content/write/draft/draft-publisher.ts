/** Makes a file of a draft's bytes, again when they were changed, and gives it what was set on it meanwhile. */
import type { FileRecord } from '../../../api/model.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { sameVersion, versionOfFile } from '../../content-version.ts';
import { type Annotations, ContentError, type ContentVersion } from '../../ports.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import type { DraftUpload } from '../upload/draft-upload.ts';
import { NO_COUNT } from './change-counts.ts';
import type { DraftRecord } from './draft-record.ts';
import { changed } from './file-changes.ts';
import { Publications } from './publications.ts';
import type { RunningMd5 } from './running-md5.ts';
import type { WriterContext } from './writer-context.ts';

export interface DraftPublisherOptions {
  readonly context: Pick<WriterContext, 'api' | 'journal' | 'space'>;
  readonly record: DraftRecord;
  readonly content: DraftContent;
  readonly upload: DraftUpload;
  /** Undefined: files are not given theirs. */
  readonly md5: RunningMd5 | undefined;
  /** The draft's end. */
  readonly signal: AbortSignal;
}

export class DraftPublisher {
  readonly #options: DraftPublisherOptions;
  readonly #publications: Publications;
  #failure: unknown;

  constructor(options: DraftPublisherOptions) {
    this.#options = options;
    const { context, record, content } = options;
    this.#publications = new Publications({
      changes: () => record.changes.now,
      publish: () => this.#publish(),
      settled: () => content.settled(),
      // The publication includes every write that was under way when it was asked for.
      onBegin: () => {
        if (!record.owed.asked) record.ask();
      },
      onEnd: ({ isDone, isLast }) => {
        const { isDirty, isCommitted } = record.changes;
        // A publication that failed is still owed, by this mount or the next, unless the draft is gone.
        if (isLast && isDone) record.owed.ask(isDirty && isCommitted);
        if (isLast) record.save();
        context.space.notify();
      },
    });
  }

  get running(): boolean {
    return this.#publications.running;
  }

  /** The error of the last publication. */
  get failure(): unknown {
    return this.#failure;
  }

  /** As `Draft.publish`. */
  publish(signal: AbortSignal): Promise<FileRecord> {
    const done = this.#publications.ask();
    this.#options.record.ask();
    return untilAborted(done, signal);
  }

  /** Settles, without a failure, when all publications have ended that were asked for. */
  ended(): Promise<void> {
    return this.#publications.ended();
  }

  /** As `Publications.orOnceMade`. */
  orOnceMade<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#publications.orOnceMade(work, signal);
  }

  /** As `Draft.unanswered`. */
  async unanswered(): Promise<FileRecord | undefined> {
    const file = await this.#options.upload.unanswered();
    if (file !== undefined) this.#made(file);
    return file;
  }

  /** As `Draft.publishedAs`. */
  async publishedAs(file: FileRecord, source: ContentVersion, given?: Annotations): Promise<void> {
    const { record, content, upload } = this.#options;
    const now = content.wholeCopyOf();
    const unchanged = now !== undefined && sameVersion(now, source);
    record.annotations.sentElsewhere(given);
    this.#settle(file, unchanged ? record.changes.now : NO_COUNT);
    await upload.abandonUnlessReleased();
    if (unchanged) await this.#rebase(file);
  }

  /** One PATCH with all that was set while the file was being written, unless it came with the content. */
  async annotatePublished(): Promise<FileRecord> {
    const { context, record, signal } = this.#options;
    for (;;) {
      const { file } = record;
      if (file === undefined) throw new ContentError('failed', 'annotations without a file');
      const owed = record.annotations.sendAfter();
      if (owed === undefined) return file;
      record.annotated(await changed(context.api, file, owed, { signal, priority: 'data' }), owed);
    }
  }

  /** Makes room in the spool: what is published can be read from the service. False when there is none to be made. */
  async giveUpSpool(): Promise<boolean> {
    const { record, content } = this.#options;
    const { file } = record;
    if (record.changes.isDirty || this.running || file === undefined || !content.spooled) return false;
    await this.#rebase(file);
    return true;
  }

  async #publish(): Promise<FileRecord> {
    const { context, record, content } = this.#options;
    this.#failure = undefined;
    try {
      await this.unanswered();
      if (record.changes.isDirty || record.file === undefined)
        await content.makeFile(async () => this.#made(await this.#publishContent()));
      const file = await this.annotatePublished();
      // Before anybody can remove it.
      await context.journal.doneDurable();
      return file;
    } catch (error) {
      if (!isGivingWay(error)) this.#failure = error;
      throw error;
    }
  }

  /** The MD5 of a file that goes in one call goes with it; that of another is finished while it is sent. */
  #publishContent(): Promise<FileRecord> {
    const { record, content, upload, md5, signal } = this.#options;
    const changes = record.changes.begin();
    const wanted = record.target.onward === undefined ? md5 : undefined;
    const note = (digest: string | undefined): void => {
      if (wanted === undefined || digest === undefined || changes !== record.changes.now) return;
      record.annotations.note({ md5_sum: digest });
    };
    return upload.publish(content.sizeBytes, {
      annotations: (digest) => {
        note(digest);
        return record.annotations.sendAlong();
      },
      inParts: async () => {
        await wanted?.finish(signal);
        note(wanted?.digest);
      },
    });
  }

  /** The publication that was begun last made a file. */
  #made(file: FileRecord): void {
    const { record, content } = this.#options;
    content.endFile(versionOfFile(file));
    this.#settle(file, record.changes.begun);
  }

  #settle(file: FileRecord, changes: number): void {
    this.#failure = undefined;
    this.#options.record.made(file, changes);
  }

  #rebase(file: FileRecord): Promise<void> {
    const { record, content } = this.#options;
    return content.rebase(versionOfFile(file), () => !record.changes.isDirty);
  }
}

/** It did not fail, and is begun again. */
function isGivingWay(error: unknown): boolean {
  return error instanceof ContentError && error.kind === 'gave-way';
}
