/**
 * A draft, put together of what it is made of: its content, its upload, the record that the journal has of it, its
 * publication, what is acknowledged of it, and its end. Here is what one of these tells the others.
 */
import type { FileRecord } from '../../../api/model.ts';
import type { ByteChunks } from '../../../lib/byte-chunks.ts';
import { sharedAbortController } from '../../../lib/shared-signals.ts';
import type { ByteRange } from '../../byte-range.ts';
import type {
  Annotations,
  ContentVersion,
  Draft,
  KeepingReason,
  KeptBytes,
  Refusal,
  UploadProgress,
  UploadTarget,
} from '../../ports.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { preferredPartSize } from '../parts/preferred-part-size.ts';
import { DraftContent } from '../spool/draft-content.ts';
import type { SpoolTenant } from '../spool/spool-space.ts';
import { DraftUpload } from '../upload/draft-upload.ts';
import { DraftDurability } from './draft-durability.ts';
import { DraftEnd } from './draft-end.ts';
import { DraftPublisher } from './draft-publisher.ts';
import { DraftRecord } from './draft-record.ts';
import { RunningMd5 } from './running-md5.ts';
import type { WriterContext } from './writer-context.ts';

interface UploadParts {
  readonly record: DraftRecord;
  readonly content: DraftContent;
  readonly signal: AbortSignal;
}

export class SpooledDraft implements Draft, SpoolTenant {
  readonly #context: WriterContext;
  readonly #record: DraftRecord;
  readonly #content: DraftContent;
  readonly #md5: RunningMd5 | undefined;
  readonly #upload: DraftUpload;
  readonly #publisher: DraftPublisher;
  readonly #durability: DraftDurability;
  readonly #end: DraftEnd;
  /** How many are about to publish it. */
  #finishing = 0;

  /** `onLeave`: the draft was discarded, kept or closed. */
  constructor(state: DraftState, context: WriterContext, onLeave: () => void) {
    this.#context = context;
    const { memory, space, partSizeBytes } = context;
    const work = sharedAbortController();
    const { signal } = work;
    const record = new DraftRecord(state, {
      context,
      content: () => this.#content,
      upload: () => this.#upload.state,
    });
    const content = this.#contentOf(state, record);
    // An object keeps none of the file's metadata.
    const md5 =
      context.md5Sum && !isOfObject(state.target, context)
        ? new RunningMd5({ content, memory, partSizeBytes })
        : undefined;
    const upload = this.#uploadOf(state, { record, content, signal });
    const publisher = new DraftPublisher({ context, record, content, upload, md5, signal });
    const parts = { context, record, content, upload, publisher };
    this.#record = record;
    this.#content = content;
    this.#md5 = md5;
    this.#upload = upload;
    this.#publisher = publisher;
    this.#durability = new DraftDurability(parts);
    const leave = (): void => {
      space.leave(this);
      onLeave();
    };
    this.#end = new DraftEnd({ ...parts, work, onLeave: leave });
    space.enter(this);
  }

  get id(): string {
    return this.#record.id;
  }

  get sizeBytes(): number {
    return this.#content.sizeBytes;
  }

  get target(): UploadTarget {
    return this.#record.target;
  }

  get dirty(): boolean {
    return this.#record.changes.isDirty;
  }

  get publishedFileId(): string | undefined {
    return this.#record.file?.id;
  }

  get committed(): boolean {
    return this.#record.changes.isCommitted;
  }

  get promised(): boolean {
    return this.committed || this.#record.owed.closedBytes > 0;
  }

  get synced(): boolean {
    const { changes, target } = this.#record;
    // An object on its way to a volume has not arrived at its target.
    return target.onward === undefined ? changes.isSyncedFurther : changes.isSynced;
  }

  get doubtful(): boolean {
    return this.#content.doubtful;
  }

  get fits(): boolean {
    const { missingBytes, released } = this.#content;
    return !released && (missingBytes === 0 || this.#context.space.hasRoom(missingBytes));
  }

  get begun(): boolean {
    return this.#upload.begun;
  }

  get publishing(): boolean {
    return this.#publisher.running;
  }

  get finishing(): boolean {
    const { changes, owed } = this.#record;
    return this.#content.spooled && (this.#finishing > 0 || (changes.isToFollow && !owed.isDisowned));
  }

  get progress(): UploadProgress | undefined {
    const { label, changes, owed } = this.#record;
    const { running: publishing, failure } = this.#publisher;
    const waiting = changes.isToFollow && !owed.isDisowned;
    return progressOf(this.#upload, { label, sizeBytes: this.sizeBytes, publishing, waiting, failure });
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
    return this.#publisher.orOnceMade(() => this.#content.read(range, signal), signal);
  }

  async truncate(sizeBytes: number, signal: AbortSignal): Promise<void> {
    await this.#content.truncate(sizeBytes, signal);
    // Or a later mount would take the spool for one that lost its end.
    this.#record.save();
  }

  copyFrom(...[source, sourceOffset, to, signal]: Parameters<Draft['copyFrom']>): Promise<void> {
    const range = { start: to.offset, end: to.offset + to.length };
    return this.#content.copyFrom(source, sourceOffset, range, signal);
  }

  wholeCopyOf(): ContentVersion | undefined {
    return this.#content.wholeCopyOf();
  }

  sync(signal: AbortSignal): Promise<void> {
    return this.#durability.sync(signal);
  }

  commit(signal: AbortSignal): Promise<void> {
    return this.#durability.commit(signal);
  }

  stay(): void {
    this.#record.changes.stay();
    this.#context.space.notify();
  }

  disown(): Promise<void> {
    return this.#durability.disown();
  }

  reclaim(): Promise<void> {
    return this.#durability.reclaim();
  }

  whileMoved<T>(move: () => Promise<T>): Promise<T> {
    return this.#upload.whileMoved(move);
  }

  async retarget(target: UploadTarget, label: string): Promise<void> {
    await this.#publisher.ended();
    const before = this.#record.target;
    const moved = target.parent !== before.parent || target.name !== before.name;
    if (moved) this.#upload.requireRestart();
    this.#record.retarget(target, label);
    // An upload cannot be renamed, and completing it under the old name could overwrite what is there by now.
    if (moved) await this.#upload.abandon();
    await this.#record.owedDurable();
  }

  async annotate(annotations: Annotations | undefined): Promise<void> {
    if (!this.#record.annotations.set(annotations)) return;
    this.#record.save();
    if (this.committed) await this.#context.journal.durable();
  }

  annotatePublished(): Promise<FileRecord> {
    return this.#publisher.annotatePublished();
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
    return this.#publisher.publish(signal);
  }

  giveWay(): () => void {
    return this.#upload.giveWay();
  }

  unanswered(): Promise<FileRecord | undefined> {
    return this.#publisher.unanswered();
  }

  publishedAs(...[file, source, given]: Parameters<Draft['publishedAs']>): Promise<void> {
    return this.#publisher.publishedAs(file, source, given);
  }

  discard(): Promise<void> {
    return this.#end.discard();
  }

  keep(because: KeepingReason): Promise<KeptBytes | undefined> {
    return this.#end.keep(because);
  }

  async refused(because: Refusal): Promise<void> {
    this.#record.refuse(because);
    this.stay();
    // The next fsync or close reports a disk that refuses: the draft is owed all the same.
    await this.#context.journal.durable().catch(() => {});
  }

  get spoolPath(): string | undefined {
    return this.#content.spooled ? this.#context.spoolPath(this.id) : undefined;
  }

  close(): Promise<void> {
    return this.#end.close();
  }

  /** The mount ends: stops what is under way, and leaves it to the next mount. */
  suspend(): Promise<void> {
    return this.#end.suspend();
  }

  giveUp(): Promise<boolean> {
    return this.#publisher.giveUpSpool();
  }

  releaseSent(): Promise<boolean> {
    return this.#upload.releaseSent();
  }

  #contentOf({ id, extents, onDisk = false }: DraftState, record: DraftRecord): DraftContent {
    const { spoolPath, reader, memory, fetchTurns, space } = this.#context;
    return new DraftContent({
      spool: { path: spoolPath(id), space, tenant: this, onDisk, onRefusal: () => record.save() },
      reader,
      memory,
      fetchTurns,
      extents,
      beforeChange: (range) => this.#beforeChange(range),
      onUnchanged: () => record.owed.unchanged(),
      mayChange: () => record.owed.takenBack,
      onChange: (range) => this.#onChange(range),
      onRelease: (range) => this.#md5?.release(range),
    });
  }

  #uploadOf({ id, upload, createdMs }: DraftState, { record, content, signal }: UploadParts): DraftUpload {
    const context = this.#context;
    return new DraftUpload({
      context: { ...context, draftId: id, content, signal },
      preferredPartSizeBytes: () => preferredPartSize(context),
      target: () => record.target,
      onChange: () => record.save(),
      beforeRelease: async (end) => this.#md5?.beforeRelease(end),
      closedBytes: () => record.owed.closedBytes,
      resumed: upload,
      previous: () => ({ fileId: record.target.replaces, sinceMs: createdMs }),
      recovered: () => record.isAsRecovered,
    });
  }

  #beforeChange(range: ByteRange): void {
    this.#forgetKnown(range);
    this.#record.owed.beforeChange(range, this.sizeBytes);
  }

  #onChange(range: ByteRange): void {
    this.#record.changes.change();
    this.#forgetKnown(range);
    this.#record.owed.changed(range, this.sizeBytes);
    this.#upload.touch(range);
  }

  /** Facts known about the bytes of a range do not hold for new bytes. */
  #forgetKnown(range: ByteRange): void {
    this.#md5?.touch(range);
    this.#record.annotations.forgetNoted();
  }
}

interface Uploading {
  readonly label: string;
  readonly sizeBytes: number;
  readonly publishing: boolean;
  /** It was closed, and is about to be published. */
  readonly waiting: boolean;
  /** The error of the last publication. */
  readonly failure: unknown;
}

/** How far the upload of a draft is; undefined while there is nothing to tell. */
function progressOf(
  upload: DraftUpload,
  { label, sizeBytes, publishing, waiting, failure }: Uploading,
): UploadProgress | undefined {
  const { state, partsInFlight, bytesUnderWay } = upload;
  const error = failure ?? upload.error;
  if (state === undefined && !publishing && !waiting && error === undefined) return undefined;
  const storedBytes = state?.parts.reduce((sum, part) => sum + part.sizeBytes, 0) ?? 0;
  const idle = waiting ? 'waiting' : 'writing';
  return {
    label,
    uploadId: state?.ticket.uploadId,
    sizeBytes,
    storedBytes,
    sentBytes: storedBytes + bytesUnderWay,
    partsInFlight,
    state: publishing ? 'publishing' : error === undefined ? idle : 'failed',
    error: error instanceof Error ? error.message : undefined,
  };
}

function isOfObject({ parent, onward }: UploadTarget, { api }: Pick<WriterContext, 'api'>): boolean {
  return onward !== undefined || api.buckets.isFolder(parent);
}
