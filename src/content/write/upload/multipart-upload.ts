/**
 * One multipart upload at the service: which parts it has, which are on their way, which must go again.
 *
 * A part that changed after it was read for sending is *stale*; it is sent again before completion, and never two at a
 * time, because the later one must win. A publication sends each part at most once more: what changes while it runs
 * belongs to the next one.
 */
import { setMaxListeners } from 'node:events';
import type { Api } from '../../../api/api.ts';
import { ApiError, mayBeDone } from '../../../api/errors.ts';
import type { FileRecord, PartReport, UploadTicket } from '../../../api/model.ts';
import type { SentBytes } from '../../../api/transport/sent-bytes.ts';
import { Mutex } from '../../../lib/mutex.ts';
import type { ByteRange } from '../../byte-range.ts';
import { ContentError } from '../../ports.ts';
import type { Journal } from '../journal/journal.ts';
import { layoutOf, type SentPart, type UploadState } from '../journal/journal-entry.ts';
import { fullPart, outgrows, type PartLayout, partCount, partRange, partsIn } from '../parts/part-plan.ts';
import type { PartContent, PartSender } from '../parts/part-sender.ts';
import { isUploadOpen } from './open-upload.ts';
import type { UploadAborts } from './upload-aborts.ts';

/** Parts are reported in batches of this many, one call each, while more than as many are to come before completion. */
const REPORT_BATCH = 32;

/** The report of a part is not that of the part stored (undocumented-calls, 1.1). */
const PART_REFUSED = 8014;
/** A part that is refused so often will not be taken. */
const MOST_TRIES = 5;

interface Sending {
  readonly range: ByteRange;
  readonly done: Promise<void>;
}

interface Reporting {
  /** Never rejects. */
  readonly over: Promise<void>;
  readonly stop: AbortController;
}

interface MutablePart extends SentPart {
  stale: boolean;
}

export interface UploadContext {
  readonly draftId: string;
  readonly api: Pick<Api, 'uploads' | 'isKnownToOffer' | 'buckets'>;
  readonly sender: PartSender;
  readonly aborts: UploadAborts;
  readonly journal: Pick<Journal, 'record'>;
  /** `released`: some of the bytes are in the upload only. */
  readonly content: PartContent & { readonly released: boolean };
  readonly signal: AbortSignal;
}

export class MultipartUpload {
  readonly ticket: UploadTicket;
  readonly layout: PartLayout;
  readonly #saidBytes: number | undefined;
  /** The highest part that was ever sent: the store may have it, whatever it answered. */
  #lastPart: number;
  readonly #context: UploadContext;
  readonly #givenUp = new AbortController();
  /** Of what is sent for it. */
  readonly #signal: AbortSignal;
  readonly #parts = new Map<number, MutablePart>();
  readonly #sending = new Map<number, Sending>();
  /** Parts whose bytes are being read or on the wire, and whether they changed since. */
  readonly #changedWhileSent = new Map<number, boolean>();
  /** Of parts on the wire. */
  readonly #sent = new Map<number, SentBytes>();
  readonly #reported = new Map<number, string>();
  readonly #oneAtATime = new Mutex();
  /** The size that its completion was last asked for, when that had no answer. */
  #unansweredBytes: number | undefined;
  /** Publication waits for the parts. */
  #awaited = false;
  /** Completion follows the parts that are on their way. */
  #nearCompletion = false;
  #reporting: Reporting | undefined;

  constructor(state: UploadState, context: UploadContext) {
    this.ticket = state.ticket;
    this.layout = layoutOf(state);
    this.#saidBytes = state.sizeBytes;
    this.#lastPart = Math.max(state.lastPart ?? 0, ...state.parts.map(({ partNumber }) => partNumber));
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, this.#givenUp.signal]);
    setMaxListeners(0, this.#signal);
    for (const part of state.parts) this.#parts.set(part.partNumber, { ...part, stale: false });
  }

  get state(): UploadState {
    const parts = [...this.#parts.values()].filter(({ stale }) => !stale);
    return {
      ticket: this.ticket,
      grows: this.layout.grows,
      sizeBytes: this.#saidBytes,
      parts: parts.map(({ partNumber, etag, sizeBytes }) => ({ partNumber, etag, sizeBytes })),
      lastPart: this.#lastPart,
    };
  }

  get partsInFlight(): number {
    return this.#changedWhileSent.size;
  }

  /** Of parts that have not arrived, the bytes that have left this machine. */
  get bytesUnderWay(): number {
    return [...this.#sent.values()].reduce((sum, sent) => sum + sent(), 0);
  }

  /** It can become a file of this size, as far as it is of what was said when it began. */
  mayHold(sizeBytes: number): boolean {
    return sizeBytes === (this.#saidBytes ?? sizeBytes) && !outgrows(sizeBytes, this.layout);
  }

  /** As `mayHold`, and no part lies beyond, which the service would append. */
  fits(sizeBytes: number): boolean {
    return this.mayHold(sizeBytes) && this.#lastPart <= partCount(sizeBytes, this.layout);
  }

  /** The size of the file that came of a completion without an answer; undefined: there was none such, or it was not done. */
  async completedBytes(): Promise<number | undefined> {
    const sizeBytes = this.#unansweredBytes;
    if (sizeBytes === undefined) return undefined;
    if (!(await isUploadOpen(this.#context, this.ticket.uploadId))) return sizeBytes;
    this.#unansweredBytes = undefined;
    return undefined;
  }

  /** It was begun for a file of one size, and that was not made of it: what is written on becomes another. */
  async isForAnother(): Promise<boolean> {
    return this.#saidBytes !== undefined && (await this.completedBytes()) === undefined;
  }

  /** A part that was never sent. */
  isNew(partNumber: number): boolean {
    return !this.#parts.has(partNumber) && !this.#sending.has(partNumber);
  }

  /** The ranges of full parts that the service has as they are. */
  heldRanges(): ByteRange[] {
    return [...this.#parts.values()].flatMap(({ partNumber, stale, sizeBytes }) => {
      const range = fullPart(partNumber, this.layout);
      return !stale && sizeBytes === range.end - range.start ? [range] : [];
    });
  }

  /** Resolves when a part on its way arrived or failed; undefined when there is none. */
  nextSent(): Promise<void> | undefined {
    if (this.#sending.size === 0) return undefined;
    this.#await();
    return Promise.race([...this.#sending.values()].map(({ done }) => done.catch(() => {})));
  }

  /** The bytes of a range are others now. */
  touch(range: ByteRange): void {
    for (const number of partsIn(range, this.layout)) {
      if (this.#changedWhileSent.has(number)) this.#changedWhileSent.set(number, true);
      this.#becomeStale(number);
    }
  }

  /** Sends a part, after the one of that number that is on its way. */
  send(partNumber: number, range: ByteRange): Promise<void> {
    const before = this.#sending.get(partNumber)?.done.catch(() => {});
    const done = (before ?? Promise.resolve()).then(() => this.#send(partNumber, range));
    const sending = { range, done };
    this.#sending.set(partNumber, sending);
    this.#lastPart = Math.max(this.#lastPart, partNumber);
    const settled = (): void => {
      if (this.#sending.get(partNumber) === sending) this.#sending.delete(partNumber);
    };
    done.then(settled, settled);
    return done;
  }

  /** Sends every part of a file of this size that the service does not have as it is now, to be completed then. */
  async sendAll(sizeBytes: number): Promise<void> {
    this.#await();
    this.#nearCompletion = true;
    try {
      await Promise.all(this.#sendsOf(sizeBytes));
    } finally {
      this.#nearCompletion = false;
    }
  }

  /** Sends parts again that the service does not know as the store answered for them. */
  async complete(sizeBytes: number): Promise<FileRecord> {
    const { api, content, signal } = this.#context;
    const count = partCount(sizeBytes, this.layout);
    for (let attempt = 1; ; attempt += 1) {
      await this.#stopReporting();
      const reports = this.#unreported().filter(({ partNumber }) => partNumber <= count);
      this.#unansweredBytes = sizeBytes;
      try {
        return await api.uploads.complete(this.ticket.uploadId, reports, { signal, priority: 'data' });
      } catch (error) {
        if (!mayBeDone(error)) this.#unansweredBytes = undefined;
        if (!isRefusedPart(error)) throw error;
        const refused = await this.#refusedOf(reports);
        if (refused.length === 0 || content.released || attempt === MOST_TRIES) {
          const which = refused.map(({ partNumber }) => partNumber).join(', ') || 'unknown';
          const reason = `the service refuses a part as the store took it (${which}): ${error.message}`;
          throw new ContentError('failed', reason, { cause: error });
        }
        for (const { partNumber } of refused) this.#becomeStale(partNumber);
        await this.sendAll(sizeBytes);
      }
    }
  }

  /** Parts that are on their way or wait for their turn are sent no more. */
  abort(): void {
    this.#givenUp.abort(new ContentError('failed', 'the upload was given up'));
    this.#context.aborts.abort(this.ticket.uploadId);
  }

  #sendsOf(sizeBytes: number): Promise<void>[] {
    const sends: Promise<void>[] = [];
    const count = partCount(sizeBytes, this.layout);
    for (let number = 1; number <= count; number += 1) {
      const range = partRange(number, sizeBytes, this.layout);
      const sending = this.#sending.get(number);
      if (sending !== undefined && sending.range.end === range.end && !this.#changedWhileSent.get(number)) {
        sends.push(sending.done);
      } else if (sending !== undefined || !this.#holds(number, range)) {
        sends.push(this.send(number, range));
      }
    }
    return sends;
  }

  /** From here on someone waits for parts: for all of them, or for room that one gives. */
  #await(): void {
    this.#awaited = true;
    this.#context.sender.hurry();
  }

  async #send(partNumber: number, range: ByteRange): Promise<void> {
    const { draftId, sender, content, journal } = this.#context;
    const { uploadId } = this.ticket;
    const signal = this.#signal;
    const onRead = (): void => {
      this.#changedWhileSent.set(partNumber, false);
    };
    const onSending = (sent: SentBytes): void => void this.#sent.set(partNumber, sent);
    const isUrgent = (): boolean => this.#awaited || !this.ticket.parallel;
    const job = { lane: draftId, uploadId, partNumber, range, content, onRead, onSending, isUrgent, signal };
    try {
      const etag = await (this.ticket.parallel
        ? sender.send(job)
        : this.#oneAtATime.run(() => sender.send(job)));
      const stale = this.#changedWhileSent.get(partNumber) ?? false;
      const part = { partNumber, etag, sizeBytes: range.end - range.start };
      this.#parts.set(partNumber, { ...part, stale });
      if (!stale) journal.record({ type: 'part', id: draftId, uploadId, part });
    } finally {
      this.#changedWhileSent.delete(partNumber);
      this.#sent.delete(partNumber);
    }
    this.#reportSome();
  }

  #becomeStale(partNumber: number): void {
    const part = this.#parts.get(partNumber);
    if (part === undefined || part.stale) return;
    part.stale = true;
    this.#context.journal.record({ type: 'stale', id: this.#context.draftId, partNumber });
  }

  /** A refusal does not say which part it is for: halves are reported until it does. */
  async #refusedOf(reports: readonly PartReport[]): Promise<readonly PartReport[]> {
    const { api, signal } = this.#context;
    try {
      await api.uploads.report(this.ticket.uploadId, reports, { signal, priority: 'data' });
      return [];
    } catch (error) {
      if (!isRefusedPart(error)) throw error;
    }
    if (reports.length === 1) return reports;
    const middle = Math.ceil(reports.length / 2);
    return [
      ...(await this.#refusedOf(reports.slice(0, middle))),
      ...(await this.#refusedOf(reports.slice(middle))),
    ];
  }

  #holds(partNumber: number, range: ByteRange): boolean {
    const part = this.#parts.get(partNumber);
    return part !== undefined && !part.stale && part.sizeBytes === range.end - range.start;
  }

  #unreported(): PartReport[] {
    const parts = [...this.#parts.values()];
    return parts
      .filter(({ partNumber, etag }) => this.#reported.get(partNumber) !== etag)
      .map(({ partNumber, etag }) => ({ partNumber, etag }))
      .sort((left, right) => left.partNumber - right.partNumber);
  }

  /** A failure costs nothing: completion reports what is not on report, and the last parts anyway. */
  #reportSome(): void {
    if (this.#reporting !== undefined) return;
    if (this.#nearCompletion && this.#sending.size <= REPORT_BATCH) return;
    const batch = this.#unreported().filter(({ partNumber }) => !this.#parts.get(partNumber)?.stale);
    if (batch.length < REPORT_BATCH) return;
    const { api } = this.#context;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const report = api.uploads.report(this.ticket.uploadId, batch, { signal, priority: 'background' });
    const over = report
      .then(
        () => {
          for (const { partNumber, etag } of batch) this.#reported.set(partNumber, etag);
        },
        () => {},
      )
      .finally(() => {
        this.#reporting = undefined;
      });
    this.#reporting = { over, stop };
  }

  /** Near the rate limit a report waits behind all other calls, and completion reports the same parts. */
  async #stopReporting(): Promise<void> {
    this.#reporting?.stop.abort();
    await this.#reporting?.over;
  }
}

function isRefusedPart(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === PART_REFUSED;
}
