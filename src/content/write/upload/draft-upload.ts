/**
 * How a draft's bytes get to the service: the multipart upload that runs while the file is written, its restarts, and
 * the one-call way for small files where the service offers it.
 */
import type { Api } from '../../../api/api.ts';
import type { FileRecord } from '../../../api/model.ts';
import { sharedAbortController } from '../../../lib/shared-signals.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import { type Annotations, ContentError, type ContentReader, type UploadTarget } from '../../ports.ts';
import type { Journal } from '../journal/journal.ts';
import type { UploadState } from '../journal/journal-entry.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import { CurrentUpload } from './current-upload.ts';
import { EarlyParts } from './early-parts.ts';
import { INLINE_BYTES, InlineUpload } from './inline-upload.ts';
import type { UploadContext } from './multipart-upload.ts';
import { isUploadGone } from './open-upload.ts';
import { PartRelease } from './part-release.ts';
import { TakenName } from './taken-name.ts';

export interface DraftUploadOptions {
  readonly context: UploadContext & {
    readonly api: Api;
    readonly journal: Journal;
    readonly content: DraftContent;
    readonly memory: MemoryPool;
    readonly reader: ContentReader;
  };
  /** Of an upload that begins now. */
  readonly preferredPartSizeBytes: () => number;
  readonly target: () => UploadTarget;
  /** An upload began or ended: the journal must know. */
  readonly onChange: () => void;
  /** To be waited for before the spool lets go of bytes before `end`. */
  readonly beforeRelease: (end: number) => Promise<void>;
  /** So many first bytes the spool keeps: a close has said that they are safe here, and an upload may be lost. */
  readonly closedBytes: () => number;
  /** The upload of an ended mount. */
  readonly resumed: UploadState | undefined;
  /** The file that was under the target's name, and since when a new one may be ours. */
  readonly previous: () => { readonly fileId: string | undefined; readonly sinceMs: number };
  /** An ended mount was asked for it, as it is: what took the name since is newer, and not to be replaced. */
  readonly recovered: () => boolean;
}

export interface PublishOptions {
  /** The annotations to send with content of this MD5 (in hexadecimal). The answer shows whether they were taken. */
  readonly annotations: (md5: string) => Annotations | undefined;
  /** The work to do beside an upload in parts, before the upload is completed. */
  readonly inParts: () => Promise<void>;
}

export class DraftUpload {
  readonly #context: DraftUploadOptions['context'];
  readonly #recovered: () => boolean;
  readonly #target: () => UploadTarget;
  readonly #current: CurrentUpload;
  readonly #early: EarlyParts;
  readonly #release: PartRelease;
  readonly #name: TakenName;
  readonly #inline: InlineUpload;
  readonly #way = new GivingWay();

  constructor(options: DraftUploadOptions) {
    const { context, target, onChange, beforeRelease, closedBytes, resumed, previous, recovered } = options;
    const { api, reader, content, journal, signal } = context;
    this.#context = context;
    this.#recovered = recovered;
    this.#target = target;
    const current = new CurrentUpload(options);
    const early = new EarlyParts(content, current);
    const name = new TakenName({ api, reader, content, signal, target, previous, recovered, resumed });
    this.#current = current;
    this.#early = early;
    this.#name = name;
    this.#release = new PartRelease({
      content,
      journal,
      current,
      early,
      record: onChange,
      beforeRelease,
      closedBytes,
    });
    this.#inline = new InlineUpload({ context, target, name });
  }

  get state(): UploadState | undefined {
    return this.#current.now?.state;
  }

  get begun(): boolean {
    return this.#current.now !== undefined || this.#current.isBeginning;
  }

  get partsInFlight(): number {
    return this.#current.now?.partsInFlight ?? 0;
  }

  /** Of content that the service does not have whole, the bytes that have left this machine. */
  get bytesUnderWay(): number {
    return (this.#current.now?.bytesUnderWay ?? 0) + this.#inline.bytesUnderWay;
  }

  /** The failure of a part sent early; the next publication tries anew. */
  get error(): unknown {
    return this.#early.error;
  }

  /** The bytes of a range are others now. */
  touch(range: ByteRange): void {
    this.#current.now?.touch(range);
  }

  /** The writer wrote a range: sends the full parts it has left behind, each at most once before publication. */
  afterWrite(write: ByteRange): void {
    this.#early.afterWrite(write);
  }

  /** Makes room in the spool, as `PartRelease` does. */
  releaseSent(): Promise<boolean> {
    return this.#release.releaseSent();
  }

  /** Runs what gives the draft another target, as `PartRelease` does. */
  whileMoved<T>(move: () => Promise<T>): Promise<T> {
    return this.#release.whileMoved(move);
  }

  /** Throws when the upload cannot be given up for another one: some of the bytes are nowhere else. */
  requireRestart(): void {
    this.#current.requireRestart();
  }

  /** Gives the upload up, at the service too, which is not waited for. */
  abandon(): Promise<void> {
    return this.#current.abandon();
  }

  /** As `abandon`, unless some of the bytes are nowhere else: then the next publication goes on with the upload. */
  abandonUnlessReleased(): Promise<void> {
    return this.#current.abandonUnlessReleased();
  }

  /** As `Draft.giveWay`. */
  giveWay(): () => void {
    return this.#way.ask();
  }

  /** Uploads what is missing and completes: a file of `sizeBytes` as the draft is now. */
  publish(sizeBytes: number, { annotations, inParts }: PublishOptions): Promise<FileRecord> {
    return this.#early.whilePublishing(async () => {
      if (this.#current.now !== undefined || !(await this.#mayGoInline(sizeBytes)))
        return await this.#publishInParts(sizeBytes, inParts);
      const { sender, draftId, signal } = this.#context;
      const send = (): Promise<FileRecord> => this.#inline.publish(sizeBytes, annotations);
      return await sender.sendWhole(send, { lane: draftId, signal });
    });
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
    const sizeBytes = await this.#current.now?.completedBytes();
    if (sizeBytes === undefined) return undefined;
    const file = await this.#name.own(sizeBytes, undefined);
    this.#current.forget();
    return file;
  }

  async #publishInParts(sizeBytes: number, inParts: () => Promise<void>): Promise<FileRecord> {
    let beside: Promise<void> | undefined;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#current.now !== undefined && !this.#current.now.fits(sizeBytes)) {
        this.requireRestart();
        await this.abandon();
      }
      const upload = this.#current.now ?? (await this.#current.begin(sizeBytes));
      let isSent = false;
      try {
        // Before it is completed: what the file builds on may go away then.
        beside ??= inParts();
        await this.#way.unlessAsked(Promise.all([upload.sendAll(sizeBytes), beside]));
        isSent = true;
        const file = (await this.#name.ofRecovered(sizeBytes)) ?? (await upload.complete(sizeBytes));
        this.#current.forget();
        return file;
      } catch (error) {
        if (!isUploadGone(error) || attempt > 1) throw error;
        this.#current.forget();
        // A file that was made before a part of this one could be sent is another.
        if (!isSent && !this.#recovered()) continue;
        const done = await this.#name.ownOfGoneUpload(sizeBytes);
        if (done !== undefined) return done;
      }
    }
  }

  async #mayGoInline(sizeBytes: number): Promise<boolean> {
    if (sizeBytes > INLINE_BYTES) return false;
    if (this.#context.api.buckets.isFolder(this.#target().parent)) return true;
    const capabilities = await this.#context.api.capabilities({ priority: 'data' });
    return capabilities.has('upload_inline');
  }
}

/** Has an upload stop when a caller asks for that. */
class GivingWay {
  #asking = 0;
  #stop = sharedAbortController();

  /** Answers what ends that, to be called once. */
  ask(): () => void {
    this.#asking += 1;
    this.#stop.abort(new ContentError('gave-way', 'the upload has stopped, for the file is being removed'));
    return () => {
      this.#asking -= 1;
      if (this.#asking === 0) this.#stop = sharedAbortController();
    };
  }

  /** Waits for `work`, or rejects while somebody asks; it goes on then. */
  unlessAsked<T>(work: Promise<T>): Promise<T> {
    return untilAborted(work, this.#stop.signal);
  }
}
