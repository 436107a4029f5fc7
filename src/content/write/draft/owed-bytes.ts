/**
 * The bytes of a draft that a later mount publishes if this one is killed.
 *
 * These are all bytes, from when a publication is asked for until a write follows. Otherwise they are the bytes that the
 * last close acknowledged, as long as no write changed them. An append does not change them.
 *
 * The promise is taken back before a byte changes, and given again when the disk refuses the change.
 */

import { type Deferred, deferred } from '../../../lib/deferred.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { DraftState } from '../journal/journal-entry.ts';
import { RECOVERED_CHANGES } from './change-counts.ts';

/** The first bytes of a draft as a close has them. */
interface ClosedBytes {
  /** The count of changes then. */
  readonly changes: number;
  readonly sizeBytes: number;
  /** All of them, in base64: those of a small file are durable in the journal. Undefined: they are in the spool. */
  readonly bytes: string | undefined;
}

interface Closing {
  readonly sizeBytes: number;
}

/** The promise that held until the change that is being made. */
interface TakenBack {
  asked: boolean;
  closed: ClosedBytes | undefined;
  readonly closing: Set<Closing>;
  /** The change is made, or was refused. */
  readonly ended: Deferred<void>;
}

export interface OwedBytesOptions {
  /** Of a draft that another mount left. */
  readonly asked: boolean;
  readonly closed: ClosedBytes | undefined;
  /** The count of changes. */
  readonly changes: () => number;
  /** Has the journal say what is owed now. */
  readonly record: () => void;
  readonly durable: () => Promise<void>;
}

export class OwedBytes {
  readonly #options: OwedBytesOptions;
  readonly #closing = new Set<Closing>();
  #takenBack: TakenBack | undefined;
  #asked: boolean;
  #closed: ClosedBytes | undefined;
  #isDisowned = false;
  /** The journal on the disk may still say that the spool is to be published as it was. */
  #mustBeDurable = false;

  constructor(options: OwedBytesOptions) {
    this.#options = options;
    this.#asked = options.asked;
    this.#closed = options.closed;
  }

  /** All of the draft is to be published. */
  get asked(): boolean {
    return this.#asked;
  }

  /** All of it is, or what was closed. */
  get isAny(): boolean {
    return !this.#isDisowned && (this.#asked || this.#closed !== undefined);
  }

  /** How many first bytes a close has acknowledged to be here, or is about to. */
  get closedBytes(): number {
    const taken = this.#takenBack;
    const all = [this.#closed, taken?.closed, ...this.#closing, ...(taken?.closing ?? [])];
    return Math.max(...all.map((closed) => closed?.sizeBytes ?? 0));
  }

  /** All of it is to be published from now on, or as much as was closed. */
  ask(asked = true): void {
    this.#asked = asked;
    if (this.#takenBack !== undefined) this.#takenBack.asked = false;
  }

  /**
   * Makes so many first bytes durable, as a close acknowledges them, and owes them from then on, unless one of them was
   * changed meanwhile: then who changed it will close it.
   */
  async close(sizeBytes: number, makeDurable: () => Promise<ClosedBytes>): Promise<void> {
    const closing = { sizeBytes };
    this.#closing.add(closing);
    try {
      const closed = await makeDurable();
      while (this.#takenBack?.closing.has(closing)) await this.#takenBack.ended.promise;
      if (!this.#closing.has(closing)) return;
      this.#closed = closed;
      if (closed.changes === this.#options.changes()) this.#asked = true;
    } finally {
      this.#closing.delete(closing);
      this.#takenBack?.closing.delete(closing);
    }
  }

  /** The draft as of that many changes is published. */
  published(changes: number): void {
    const isPublished = (closed: ClosedBytes | undefined): boolean =>
      closed !== undefined && closed.changes <= changes;
    if (isPublished(this.#closed)) this.#closed = undefined;
    if (isPublished(this.#takenBack?.closed)) this.#endTakingBack();
  }

  /** Nothing is. */
  forget(): void {
    this.#asked = false;
    this.#closed = undefined;
    this.#endTakingBack();
  }

  /** Its name was removed: nothing is, whatever is asked for, as long as that is so. */
  disown(isDisowned = true): void {
    this.#isDisowned = isDisowned;
  }

  get isDisowned(): boolean {
    return this.#isDisowned;
  }

  /** A range of a draft of this size is about to be changed: what is owed no more then is taken back. */
  beforeChange(range: ByteRange, sizeBytes: number): void {
    const before = { asked: this.#asked, closed: this.#closed };
    const closing = this.#takeBack(range, sizeBytes);
    const { asked } = this;
    const isTaken = asked !== before.asked || this.#closed !== before.closed || closing.size > 0;
    this.#takenBack = isTaken ? { ...before, closing, ended: deferred() } : undefined;
  }

  /** It was changed: what was owed since it was about to be is taken back as well. */
  changed(range: ByteRange, sizeBytes: number): void {
    this.#takeBack(range, sizeBytes);
    this.#endTakingBack();
  }

  /** The disk refused to change it: what was taken back is owed again. */
  async unchanged(): Promise<void> {
    const taken = this.#endTakingBack();
    if (taken === undefined) return;
    if (taken.asked) this.#asked = true;
    this.#closed ??= taken.closed;
    for (const closing of taken.closing) this.#closing.add(closing);
    this.#options.record();
    // A disk that takes no more is told of by what was refused.
    await this.#options.durable().catch(() => {});
  }

  /** Answers which of the closes under way acknowledge less than they were to. */
  #takeBack({ start }: ByteRange, sizeBytes: number): Set<Closing> {
    // An empty file is what a program begins with: nobody means to publish that while it is written.
    const isOf = (closed: Closing): boolean => closed.sizeBytes === 0 || start < closed.sizeBytes;
    const closing = new Set([...this.#closing].filter(isOf));
    for (const each of closing) this.#closing.delete(each);
    const closed = this.#closed;
    const isChanged = closed !== undefined && isOf(closed);
    if (!this.#asked && !isChanged) return closing;
    const isInJournal = closed?.bytes !== undefined && closed.sizeBytes >= sizeBytes;
    // An append lies beyond the bytes that the journal names.
    if (start < sizeBytes && !isInJournal) this.#mustBeDurable = true;
    this.#asked = false;
    if (isChanged) this.#closed = undefined;
    this.#options.record();
    return closing;
  }

  #endTakingBack(): TakenBack | undefined {
    const taken = this.#takenBack;
    this.#takenBack = undefined;
    taken?.ended.resolve();
    return taken;
  }

  /** To be waited for before a byte in the spool is changed; undefined: at once. */
  get takenBack(): Promise<void> | undefined {
    return this.#mustBeDurable ? this.#makeDurable() : undefined;
  }

  /** As the journal tells it. */
  get entry(): Pick<DraftState, 'phase' | 'bytes' | 'closed' | 'removed'> {
    if (this.#isDisowned) return { phase: 'open', removed: true };
    const phase = this.#asked ? 'publishing' : 'open';
    const closed = this.#closed;
    if (closed === undefined) return { phase };
    const { sizeBytes, bytes } = closed;
    if (this.#asked && closed.changes === this.#options.changes())
      return { phase, ...(bytes !== undefined && { bytes }) };
    return { phase, closed: { sizeBytes, ...(bytes !== undefined && { bytes }) } };
  }

  async #makeDurable(): Promise<void> {
    this.#mustBeDurable = false;
    try {
      await this.#options.durable();
    } catch (error) {
      this.#mustBeDurable = true;
      throw error;
    }
  }
}

/**
 * The bytes that a close acknowledged, of a draft whose publication an ended mount was asked for. Undefined: perhaps
 * nobody asked.
 */
export function closedIn({ closed, bytes, extents, onDisk }: DraftState): ClosedBytes | undefined {
  const sizeBytes = extents.at(-1)?.end ?? 0;
  if (bytes !== undefined || onDisk === true) return { changes: RECOVERED_CHANGES, sizeBytes, bytes };
  return closed && { changes: 0, sizeBytes: closed.sizeBytes, bytes: closed.bytes };
}
