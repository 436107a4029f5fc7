/**
 * How a draft's bytes get to the service: the multipart upload that runs while the file is written, its restarts, and
 * the one-call way for small files where the service offers it.
 */
import type { FileRecord, UploadTicket } from '../../api/model.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { ByteRange } from '../byte-range.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { type Annotations, ContentError, type ContentReader, type UploadTarget } from '../ports.ts';
import { INLINE_BYTES, InlineUpload } from './inline-upload.ts';
import type { UploadState } from './journal-entry.ts';
import { MultipartUpload, type UploadContext } from './multipart-upload.ts';
import { isUploadGone, isUploadOpen } from './open-upload.ts';
import { leftBehind, outgrows, type PartLayout, partRange, partSizeFor, partsIn } from './part-plan.ts';
import { publishedAlready, type SameContent } from './published-already.ts';
import { sameBytes } from './same-bytes.ts';

export interface DraftUploadOptions {
  readonly context: UploadContext & { readonly memory: MemoryPool; readonly reader: ContentReader };
  /** Of an upload that begins now. */
  readonly preferredPartSizeBytes: () => number;
  readonly target: () => UploadTarget;
  /** An upload began or ended: the journal must know. */
  readonly onChange: () => void;
  /** To be waited for before the spool lets go of bytes before `end`. */
  readonly beforeRelease: (end: number) => Promise<void>;
  /** So many first bytes the spool keeps: a close has said that they are safe here, and an upload may be lost. */
  readonly closedBytes: () => number;
  /** What an ended mount had sent. */
  readonly resumed: UploadState | undefined;
  /** The file that was under the target's name, and since when a new one may be ours. */
  readonly previous: () => { readonly fileId: string | undefined; readonly sinceMs: number };
  /** An ended mount was asked for it, as it is: what took the name since is newer, and not to be replaced. */
  readonly recovered: () => boolean;
}

export interface PublishOptions {
  /** What goes with content of this MD5 (in hexadecimal) where it can, which the answer shows. */
  readonly annotations: (md5: string) => Annotations | undefined;
  /** What is to be done beside an upload in parts, before it is completed. */
  readonly inParts: () => Promise<void>;
}

export class DraftUpload {
  readonly #options: DraftUploadOptions;
  readonly #inline: InlineUpload;
  #current: MultipartUpload | undefined;
  #opening: Promise<MultipartUpload> | undefined;
  #previousWrite: ByteRange = { start: 0, end: 0 };
  #publishing = false;
  /** Until then the draft may get another target: the upload must be one that can be given up. */
  #moved: Promise<void> | undefined;
  #error: unknown;

  constructor(options: DraftUploadOptions) {
    this.#options = options;
    const { resumed, context } = options;
    this.#current = resumed && new MultipartUpload(resumed, context);
    this.#inline = new InlineUpload({
      context,
      target: options.target,
      newer: (sizeBytes) => this.#newer(sizeBytes),
      lookFor: (sizeBytes, isSame) => this.#lookFor(sizeBytes, isSame),
    });
  }

  get state(): UploadState | undefined {
    return this.#current?.state;
  }

  get partsInFlight(): number {
    return this.#current?.partsInFlight ?? 0;
  }

  /** What went wrong with a part sent early; the next publication tries anew. */
  get error(): unknown {
    return this.#error;
  }

  touch(range: ByteRange): void {
    this.#current?.touch(range);
  }

  /** The writer wrote a range: sends the full parts it has left behind, each at most once before publication. */
  afterWrite(write: ByteRange): void {
    const before = this.#previousWrite;
    this.#previousWrite = write;
    if (this.#publishing || this.#error !== undefined || this.#opening !== undefined) return;
    const layout = this.#layout;
    const { content } = this.#options.context;
    const candidates = new Set([...partsIn(before, layout), ...partsIn(write, layout)]);
    const file = { sizeBytes: content.sizeBytes, ...layout };
    const ready = leftBehind(candidates, write, file).filter((number) => this.#isReady(number));
    if (ready.length > 0) this.#sendEarly(ready);
  }

  /**
   * Makes room in the spool: lets go of the bytes of parts that were sent. Waits for one on its way when there is none, and
   * sends those that failed once more, or throws why they cannot be sent; false when there are none either.
   */
  async releaseSent(): Promise<boolean> {
    const { context, onChange, beforeRelease, closedBytes } = this.#options;
    const { content, journal } = context;
    if (this.#moved !== undefined) return this.#moved.then(() => true);
    const upload = await (this.#opening?.catch(() => undefined) ?? this.#current);
    // What an upload has that was given up meanwhile counts for nothing.
    const held = (): ByteRange[] => {
      const mayBe = upload === this.#current && this.#moved === undefined;
      const ranges = mayBe ? (upload?.heldRanges() ?? []) : [];
      return ranges.filter((range) => range.start >= closedBytes());
    };
    const local = held().filter((range) => content.isLocal(range));
    if (local.length > 0) {
      const end = Math.max(...local.map((range) => range.end));
      await beforeRelease(end);
      await content.release(
        () => held().filter((range) => range.end <= end),
        () => {
          onChange();
          return journal.durable();
        },
      );
      return true;
    }
    const sent = upload?.nextSent();
    await sent;
    return sent !== undefined || (await this.#sendAgain());
  }

  /** Uploads what is missing and completes: a file of `sizeBytes` as the draft is now. */
  async publish(sizeBytes: number, { annotations, inParts }: PublishOptions): Promise<FileRecord> {
    this.#publishing = true;
    try {
      await this.#opening?.catch(() => {});
      this.#error = undefined;
      if (this.#current === undefined && (await this.#mayGoInline(sizeBytes))) {
        const { sender, draftId, signal } = this.#options.context;
        const send = (): Promise<FileRecord> => this.#inline.publish(sizeBytes, annotations);
        return await sender.sendWhole(send, { lane: draftId, signal });
      }
      return await this.#publishInParts(sizeBytes, inParts);
    } finally {
      this.#publishing = false;
    }
  }

  /** The file that the last publication made all the same, when it had no answer. */
  async unanswered(): Promise<FileRecord | undefined> {
    const file = await this.#inline.unanswered();
    if (file === undefined) return this.#unansweredInParts();
    // One begun since may have been told to replace no file: not this one either.
    await this.abandonUnlessReleased();
    return file;
  }

  async #unansweredInParts(): Promise<FileRecord | undefined> {
    const sizeBytes = await this.#current?.completedBytes();
    if (sizeBytes === undefined) return undefined;
    const file = await this.#lookFor(sizeBytes, undefined);
    this.#current = undefined;
    return file;
  }

  /** Gives the upload up, at the service too, which is not waited for. */
  async abandon(): Promise<void> {
    await this.#opening?.catch(() => {});
    this.#drop();
  }

  /** As `abandon`, unless some of the bytes are nowhere else: then the next publication goes on with the upload. */
  async abandonUnlessReleased(): Promise<void> {
    await this.#opening?.catch(() => {});
    if (!this.#options.context.content.released) this.#drop();
  }

  /** Throws when the upload cannot be given up for another one: some of the bytes are nowhere else. */
  requireRestart(): void {
    if (!this.#options.context.content.released) return;
    throw new ContentError(
      'failed',
      `${this.#options.target().name} is larger than the spool may get, and its upload cannot begin anew (raise --spool-size)`,
    );
  }

  /** Runs what gives the draft another target; until that has ended the spool lets go of nothing. */
  async whileMoved<T>(move: () => Promise<T>): Promise<T> {
    this.requireRestart();
    const moving = move();
    const end = (): void => {
      this.#moved = undefined;
    };
    this.#moved = moving.then(end, end);
    return moving;
  }

  #drop(): void {
    const upload = this.#current;
    this.#current = undefined;
    if (upload === undefined) return;
    this.#options.onChange();
    upload.abort();
  }

  async #publishInParts(sizeBytes: number, inParts: () => Promise<void>): Promise<FileRecord> {
    let beside: Promise<void> | undefined;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#current !== undefined && !this.#current.fits(sizeBytes)) {
        this.requireRestart();
        await this.abandon();
      }
      const upload = this.#current ?? (await this.#open(sizeBytes, { sizeBytes }));
      let isSent = false;
      try {
        // Before it is completed: what the file builds on may go away then.
        beside ??= inParts();
        await Promise.all([upload.sendAll(sizeBytes), beside]);
        isSent = true;
        const file = (await this.#newer(sizeBytes)) ?? (await upload.complete(sizeBytes));
        this.#current = undefined;
        return file;
      } catch (error) {
        if (!isUploadGone(error) || attempt > 1) throw error;
        this.#current = undefined;
        // A file that was made before a part of this one could be sent is another.
        if (!isSent && !this.#options.recovered()) continue;
        const done = await this.#lookFor(sizeBytes, this.#isRecovered(sizeBytes));
        if (done !== undefined) return done;
      }
    }
  }

  async #mayGoInline(sizeBytes: number): Promise<boolean> {
    if (sizeBytes > INLINE_BYTES) return false;
    const capabilities = await this.#options.context.api.capabilities({ priority: 'data' });
    return capabilities.has('upload_inline');
  }

  /** The answer of a completion may be lost: is the file there? */
  #lookFor(sizeBytes: number, isSame: SameContent | undefined): Promise<FileRecord | undefined> {
    const { context, target, previous } = this.#options;
    return publishedAlready(context, { target: target(), sizeBytes, ...previous(), isSame });
  }

  /** The file that took the name since the mount ended: it may be this one, whose answer was lost, or throws. */
  async #newer(sizeBytes: number): Promise<FileRecord | undefined> {
    if (!this.#options.recovered()) return undefined;
    const { context, target, previous, resumed } = this.#options;
    const there = await context.api.files.find(target(), { priority: 'data' });
    if (there === undefined || there.id === previous().fileId) return undefined;
    const isOpen = resumed !== undefined && (await isUploadOpen(context, resumed.ticket.uploadId));
    const ours = isOpen ? undefined : await this.#lookFor(sizeBytes, this.#isRecovered(sizeBytes));
    if (ours !== undefined) return ours;
    throw new ContentError('changed', `another file (${there.id}) has taken the name ${target().name} since`);
  }

  /** What tells whether a file is a recovered draft's: an upload may be gone without a completion too. */
  #isRecovered(sizeBytes: number): SameContent | undefined {
    const { context, recovered } = this.#options;
    const { content, signal } = context;
    if (!recovered() || content.released) return undefined;
    return (theirs) => sameBytes(sizeBytes, (range) => content.read(range, signal), theirs);
  }

  get #layout(): PartLayout {
    return this.#current?.layout ?? { partSizeBytes: this.#options.preferredPartSizeBytes(), grows: false };
  }

  /** Part `number` is all local bytes and was never sent. */
  #isReady(number: number): boolean {
    const { content } = this.#options.context;
    const range = partRange(number, content.sizeBytes, this.#layout);
    return (this.#current?.isNew(number) ?? true) && content.isLocal(range);
  }

  #sendEarly(numbers: readonly number[]): void {
    const upload = this.#current;
    const { sizeBytes } = this.#options.context.content;
    if (upload === undefined) {
      this.#restartFor(sizeBytes);
    } else if (outgrows(sizeBytes, upload.layout) && !this.#options.context.content.released) {
      this.#restartFor(sizeBytes * 4);
    } else {
      for (const number of numbers) this.#send(upload, number);
    }
  }

  /** What failed, for by now the store may be back: throws when it is not. False when nothing had failed. */
  async #sendAgain(): Promise<boolean> {
    if (this.#error === undefined || this.#publishing) return false;
    this.#error = undefined;
    if (this.#current === undefined) this.#restartFor(this.#options.context.content.sizeBytes);
    else this.#sendBehind(this.#current);
    await this.#opening?.catch(() => {});
    await this.#current?.nextSent();
    if (this.#error !== undefined) throw this.#error;
    return true;
  }

  #send(upload: MultipartUpload, number: number): void {
    const range = partRange(number, this.#options.context.content.sizeBytes, upload.layout);
    upload.send(number, range).catch((error: unknown) => {
      if (this.#current === upload) this.#error ??= error;
    });
  }

  /** Begins an upload for a file that will have about so many bytes, and sends all that is behind the writer. */
  #restartFor(expectedBytes: number): void {
    const outgrown = this.#current;
    this.#current = undefined;
    outgrown?.abort();
    this.#opening = this.#open(expectedBytes, {});
    this.#opening
      .then(
        (upload) => this.#sendBehind(upload),
        (error: unknown) => {
          this.#error ??= error;
        },
      )
      .finally(() => {
        this.#opening = undefined;
      });
  }

  #sendBehind(upload: MultipartUpload): void {
    const { sizeBytes } = this.#options.context.content;
    const all = partsIn({ start: 0, end: sizeBytes }, upload.layout);
    const ready = leftBehind(all, this.#previousWrite, { sizeBytes, ...upload.layout });
    for (const number of ready) {
      if (this.#isReady(number)) this.#send(upload, number);
    }
  }

  async #open(expectedBytes: number, exact: { readonly sizeBytes?: number }): Promise<MultipartUpload> {
    const { context, preferredPartSizeBytes, target, onChange } = this.#options;
    const grows = context.api.isKnownToOffer('variable_part_size');
    const partSizeBytes = partSizeFor(expectedBytes, { partSizeBytes: preferredPartSizeBytes(), grows });
    const ticket = await this.#initialise({ ...target(), ...exact, partSizeBytes });
    this.#current = new MultipartUpload({ ticket, grows, sizeBytes: exact.sizeBytes, parts: [] }, context);
    onChange();
    return this.#current;
  }
  /** Heard to its end, though the draft's may come first: an upload that nobody knows of cannot be given up. */
  async #initialise(upload: UploadTarget & { readonly partSizeBytes: number }): Promise<UploadTicket> {
    const { api, aborts, signal } = this.#options.context;
    signal.throwIfAborted();
    const initialised = api.uploads.initialise(upload, { priority: 'data' });
    try {
      return await untilAborted(initialised, signal);
    } catch (error) {
      if (signal.aborted)
        initialised.then(
          ({ uploadId }) => aborts.abort(uploadId),
          () => {},
        );
      throw error;
    }
  }
}
