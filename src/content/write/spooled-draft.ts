/** A draft: its content, its upload, and its publications. */
import type { FileRecord } from '../../api/model.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { ByteRange } from '../byte-range.ts';
import { sameVersion, versionOfFile } from '../content-version.ts';
import {
  type Annotations,
  ContentError,
  type ContentVersion,
  type Draft,
  type KeptBytes,
  type UploadProgress,
  type UploadTarget,
} from '../ports.ts';
import { ChangeCounts, NO_COUNT, RECOVERED_CHANGES } from './change-counts.ts';
import { DraftAnnotations } from './draft-annotations.ts';
import { DraftContent } from './draft-content.ts';
import { DraftUpload } from './draft-upload.ts';
import { annotated } from './file-changes.ts';
import type { DraftState } from './journal-entry.ts';
import { keepDraft } from './keep-draft.ts';
import { closedIn, OwedBytes } from './owed-bytes.ts';
import { preferredPartSize } from './preferred-part-size.ts';
import { progressOf } from './progress-of.ts';
import { Publications } from './publications.ts';
import { RunningMd5 } from './running-md5.ts';
import type { WriterContext } from './writer-context.ts';

/** Up to this size bytes are made durable in the journal, where many files share one fdatasync. */
const JOURNALED_BYTES = 16 * 1024;

export class SpooledDraft implements Draft {
  readonly id: string;
  readonly #context: WriterContext;
  readonly #onLeave: () => void;
  readonly #initial: DraftState;
  readonly #content: DraftContent;
  readonly #upload: DraftUpload;
  readonly #md5: RunningMd5 | undefined;
  readonly #publications: Publications;
  readonly #end = sharedAbortController();
  #target: UploadTarget;
  #label: string;
  readonly #annotations: DraftAnnotations;
  readonly #owed: OwedBytes;
  readonly #changes: ChangeCounts;
  /** What is committed is not about to be published. */
  #stays = false;
  #published: FileRecord | undefined;
  #failure: unknown;
  /** How many are about to publish it. */
  #finishing = 0;
  #left = false;

  /** `onLeave`: the draft was discarded, kept or closed. */
  constructor(state: DraftState, context: WriterContext, onLeave: () => void) {
    this.id = state.id;
    this.#context = context;
    this.#onLeave = onLeave;
    this.#initial = state;
    const replaces = state.target.replaces ?? (state.base?.kind === 'file' ? state.base.fileId : undefined);
    this.#target = { ...state.target, replaces };
    this.#label = state.label;
    this.#annotations = new DraftAnnotations(state);
    const recovered = state.phase === 'publishing';
    this.#changes = new ChangeCounts({ isRecovered: recovered });
    const { reader, memory, journal, space, partSizeBytes } = context;
    this.#owed = new OwedBytes({
      asked: recovered,
      closed: recovered ? closedIn(state) : undefined,
      changes: () => this.#changes.now,
      record: () => this.#record(),
      durable: () => journal.durable(),
    });
    this.#content = new DraftContent({
      spool: {
        path: context.spoolPath(state.id),
        space,
        tenant: this,
        onDisk: state.onDisk ?? false,
        onRefusal: () => this.#record(),
      },
      reader,
      memory,
      fetchTurns: context.fetchTurns,
      extents: state.extents,
      beforeChange: (range) => this.#beforeChange(range),
      mayChange: () => this.#owed.takenBack,
      onChange: (range) => this.#onChange(range),
      onRelease: (range) => this.#md5?.release(range),
    });
    // An object keeps none of the file's metadata.
    if (context.md5Sum && state.target.onward === undefined)
      this.#md5 = new RunningMd5({ content: this.#content, memory, partSizeBytes });
    this.#upload = new DraftUpload({
      context: { ...context, draftId: state.id, content: this.#content, signal: this.#end.signal },
      preferredPartSizeBytes: () => preferredPartSize(context),
      target: () => this.#target,
      onChange: () => this.#record(),
      beforeRelease: async (end) => this.#md5?.beforeRelease(end),
      closedBytes: () => this.#owed.closedBytes,
      resumed: state.upload,
      previous: () => ({ fileId: this.#target.replaces, sinceMs: state.createdMs }),
      recovered: () => recovered && this.#changes.now === RECOVERED_CHANGES,
    });
    this.#publications = new Publications({
      changes: () => this.#changes.now,
      publish: () => this.#publish(),
      settled: () => this.#content.settled(),
      // What was being written when it was asked for is part of it.
      onBegin: () => {
        if (!this.#owed.asked) this.#ask();
      },
      onEnd: ({ isDone, isLast }) => {
        // What was asked for and failed is still owed, by this mount or the next, unless it is gone.
        if (isLast && isDone) this.#owed.ask(this.dirty && this.committed);
        if (isLast) this.#record();
        space.notify();
      },
    });
    space.enter(this);
  }

  get sizeBytes(): number {
    return this.#content.sizeBytes;
  }

  get target(): UploadTarget {
    return this.#target;
  }

  get dirty(): boolean {
    return this.#changes.isDirty;
  }

  get publishedFileId(): string | undefined {
    return this.#published?.id;
  }

  get committed(): boolean {
    return this.#changes.isCommitted;
  }

  get synced(): boolean {
    // What is on its way to a volume is not where it was to go.
    return this.#target.onward === undefined ? this.#changes.isSyncedFurther : this.#changes.isSynced;
  }

  get doubtful(): boolean {
    return this.#content.doubtful;
  }

  get fits(): boolean {
    const { missingBytes, released } = this.#content;
    return !released && (missingBytes === 0 || this.#context.space.hasRoom(missingBytes));
  }

  get publishing(): boolean {
    return this.#publications.running;
  }

  get finishing(): boolean {
    const follows = this.dirty && this.committed && !this.#stays && !this.#owed.isDisowned;
    return this.#content.spooled && (this.#finishing > 0 || follows);
  }

  get progress(): UploadProgress | undefined {
    const { sizeBytes, publishing } = this;
    return progressOf(this.#upload, { label: this.#label, sizeBytes, publishing, failure: this.#failure });
  }

  async write(offset: number, data: Uint8Array, signal: AbortSignal): Promise<number> {
    const written = await this.#content.write(offset, data, signal);
    const range = { start: offset, end: offset + written };
    this.#upload.afterWrite(range);
    this.#md5?.afterWrite(range);
    return written;
  }

  read(offset: number, sizeBytes: number, signal: AbortSignal): Promise<ByteChunks> {
    const range = { start: offset, end: offset + sizeBytes };
    return this.#publications.orOnceMade(() => this.#content.read(range, signal), signal);
  }

  async truncate(sizeBytes: number, signal: AbortSignal): Promise<void> {
    await this.#content.truncate(sizeBytes, signal);
    // Or a later mount would take the spool for one that lost its end.
    this.#record();
  }

  copyFrom(...[source, sourceOffset, to, signal]: Parameters<Draft['copyFrom']>): Promise<void> {
    const range = { start: to.offset, end: to.offset + to.length };
    return this.#content.copyFrom(source, sourceOffset, range, signal);
  }

  wholeCopyOf(): ContentVersion | undefined {
    return this.#content.wholeCopyOf();
  }

  async sync(signal: AbortSignal): Promise<void> {
    const changes = this.#changes.now;
    await untilAborted(this.#content.sync(), signal);
    this.#record();
    await untilAborted(this.#context.journal.durable(), signal);
    const error = this.#failure ?? this.#upload.error;
    if (error !== undefined) throw error;
    this.#changes.synced(changes);
  }

  async commit(signal: AbortSignal): Promise<void> {
    await this.#publications.orOnceMade(() => this.#content.fetchAll(signal), signal);
    await this.#content.settled();
    const changes = this.#changes.now;
    const { sizeBytes } = this;
    await this.#owed.close(sizeBytes, async () => {
      const read = await this.#content.readWhole(JOURNALED_BYTES, signal);
      const bytes = changes === this.#changes.now ? read?.toString('base64') : undefined;
      if (bytes === undefined) await untilAborted(this.#content.sync(), signal);
      return { changes, sizeBytes, bytes };
    });
    this.#changes.committed(changes);
    this.#stays = false;
    this.#record();
    await untilAborted(this.#context.journal.durable(), signal);
    this.#changes.synced(changes);
  }

  stay(): void {
    this.#stays = true;
    this.#context.space.notify();
  }

  async disown(): Promise<void> {
    this.#owed.disown();
    this.#record();
    this.#context.space.notify();
    await this.#context.journal.doneDurable();
  }

  async reclaim(): Promise<void> {
    this.#owed.disown(false);
    this.#record();
    await this.#owedDurable();
  }

  whileMoved<T>(move: () => Promise<T>): Promise<T> {
    return this.#upload.whileMoved(move);
  }

  async retarget(target: UploadTarget, label: string): Promise<void> {
    await this.#publications.ended();
    const moved = target.parent !== this.#target.parent || target.name !== this.#target.name;
    if (moved) this.#upload.requireRestart();
    this.#target = target;
    this.#label = label;
    this.#record();
    // An upload cannot be renamed, and completing it under the old name could overwrite what is there by now.
    if (moved) await this.#upload.abandon();
    await this.#owedDurable();
  }

  async annotate(annotations: Annotations | undefined): Promise<void> {
    if (!this.#annotations.set(annotations)) return;
    this.#record();
    if (this.committed) await this.#context.journal.durable();
  }

  /** One PATCH with all that was set while the file was being written, unless it came with the content. */
  async annotatePublished(): Promise<FileRecord> {
    for (;;) {
      const file = this.#published;
      if (file === undefined) throw new ContentError('failed', 'annotations without a file');
      const { all: annotations } = this.#annotations;
      if (annotations === undefined) return file;
      this.#published = await annotated(this.#context.api, file, annotations, this.#end.signal);
      if (this.#annotations.given(annotations)) this.#record();
    }
  }

  async whileFinishing<T>(finish: () => Promise<T>): Promise<T> {
    this.#finishing += 1;
    try {
      return await finish();
    } finally {
      this.#finishing -= 1;
      this.#context.space.notify();
    }
  }

  publish(signal: AbortSignal): Promise<FileRecord> {
    const done = this.#publications.ask();
    this.#ask();
    return untilAborted(done, signal);
  }

  async unanswered(): Promise<FileRecord | undefined> {
    const file = await this.#upload.unanswered();
    if (file !== undefined) this.#made(file);
    return file;
  }

  async publishedAs(file: FileRecord, source: ContentVersion): Promise<void> {
    const now = this.wholeCopyOf();
    const unchanged = now !== undefined && sameVersion(now, source);
    this.#annotations.clear();
    this.#settle(file, unchanged ? this.#changes.now : NO_COUNT);
    await this.#upload.abandonUnlessReleased();
    if (unchanged) await this.#rebase(file);
  }

  async discard(): Promise<void> {
    this.#end.abort(new ContentError('failed', 'the draft was discarded'));
    await this.#publications.ended();
    if (this.#left) return;
    await this.#upload.abandon();
    await this.#leave({ keepSpool: false });
    await this.#context.journal.doneDurable();
  }

  async keep(): Promise<KeptBytes | undefined> {
    this.#end.abort(new ContentError('failed', 'the draft was given up'));
    await this.#publications.ended();
    const { extents, released } = this.#content;
    const upload = released ? this.#upload.state : undefined;
    if (this.#left || !this.#content.spooled) {
      await this.discard();
      return undefined;
    }
    await this.#content.sync().catch((error: unknown) => {
      if (!this.doubtful) throw error;
    });
    const { doubtful } = this;
    if (upload === undefined) await this.#upload.abandon();
    // Should its bytes not get aside, the next mount tries that again, and does not publish them.
    this.#owed.forget();
    this.#record();
    await this.#leave({ keepSpool: true });
    return keepDraft({ id: this.id, label: this.#label, extents, upload, doubtful }, this.#context);
  }

  async close(): Promise<void> {
    await this.#publications.ended();
    if (this.#left) return;
    if (this.#isOwed) this.#record();
    await this.#leave({ keepSpool: this.#isOwed });
  }

  /** The mount ends: stops what is under way, and leaves it to the next mount. */
  async suspend(): Promise<void> {
    if (this.#owed.isDisowned) return this.discard();
    this.#end.abort(new ContentError('failed', 'the mount is ending'));
    await this.#publications.ended();
    // Or a later mount could not tell, should the machine end as well. What the disk refuses is told there.
    if (!this.#left && this.#isOwed) await this.#content.sync().catch(() => {});
    await this.close();
  }

  /** Makes room in the spool: what is published can be read from the service. */
  async giveUp(): Promise<boolean> {
    const file = this.#published;
    if (this.dirty || this.publishing || file === undefined || !this.#content.spooled) return false;
    await this.#rebase(file);
    return true;
  }

  releaseSent(): Promise<boolean> {
    return this.#upload.releaseSent();
  }

  #ask(): void {
    this.#owed.ask();
    this.#record();
  }

  async #publish(): Promise<FileRecord> {
    this.#failure = undefined;
    try {
      await this.unanswered();
      if (this.dirty || this.#published === undefined)
        await this.#content.makeFile(async () => this.#made(await this.#publishContent()));
      const file = await this.annotatePublished();
      // Before anybody can remove it.
      await this.#context.journal.doneDurable();
      return file;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** The MD5 of a file that goes in one call goes with it; that of another is finished while it is sent. */
  #publishContent(): Promise<FileRecord> {
    const changes = this.#changes.begin();
    const wanted = this.#target.onward === undefined ? this.#md5 : undefined;
    const note = (md5: string | undefined): void => {
      if (wanted === undefined || md5 === undefined || changes !== this.#changes.now) return;
      this.#annotations.note({ md5_sum: md5 });
    };
    return this.#upload.publish(this.sizeBytes, {
      annotations: (md5) => {
        note(md5);
        return this.#annotations.all;
      },
      inParts: async () => {
        await wanted?.finish(this.#end.signal);
        note(wanted?.digest);
      },
    });
  }

  /** The publication that was begun last made a file. */
  #made(file: FileRecord): void {
    this.#content.endFile(versionOfFile(file));
    this.#settle(file, this.#changes.begun);
  }

  /** The draft's bytes, as of that many changes, are a file now. What has its name is ours from here on. */
  #settle(file: FileRecord, changes: number): void {
    this.#published = file;
    this.#changes.published(changes);
    this.#owed.published(changes);
    this.#failure = undefined;
    this.#target = { ...this.#target, overwrite: true, replaces: file.id };
    this.#record();
  }

  /** What is known of the bytes of a range is not true of others. */
  #beforeChange(range: ByteRange): void {
    this.#md5?.touch(range);
    this.#annotations.forgetNoted();
    this.#owed.change(range, this.sizeBytes);
  }

  #onChange(range: ByteRange): void {
    this.#changes.change();
    this.#beforeChange(range);
    this.#upload.touch(range);
  }

  #rebase(file: FileRecord): Promise<void> {
    return this.#content.rebase(versionOfFile(file), () => !this.dirty);
  }

  async #leave(options: { readonly keepSpool: boolean }): Promise<void> {
    this.#left = true;
    this.#end.abort(new ContentError('failed', 'the draft is closed'));
    await this.#content.close(options);
    const { journal, space } = this.#context;
    if (!options.keepSpool) journal.record({ type: 'end', id: this.id });
    space.leave(this);
    this.#onLeave();
  }

  /** What is owed has its name already: what the disk refuses, the next fsync or close tells. */
  async #owedDurable(): Promise<void> {
    if (this.#owed.isAny) await this.#context.journal.durable().catch(() => {});
  }

  #record(): void {
    const { id, createdMs, base } = this.#initial;
    const draft: DraftState = {
      id,
      label: this.#label,
      createdMs,
      base,
      target: this.#target,
      ...this.#annotations.entry,
      publishedFileId: this.dirty ? undefined : this.#published?.id,
      extents: this.#content.extents,
      upload: this.#upload.state,
      ...this.#owed.entry,
      onDisk: this.#content.onDisk,
      // What the disk refused the page cache may let go of.
      bootId: this.#content.doubtful ? undefined : this.#context.bootId,
    };
    this.#context.journal.record({ type: 'draft', draft });
  }

  /** Something of it is not at the service yet. */
  get #isOwed(): boolean {
    const askedFor = this.#owed.asked && this.#published === undefined;
    const underWay = this.#target.onward !== undefined && this.#published !== undefined;
    return this.dirty || askedFor || underWay || this.#annotations.all !== undefined;
  }
}
