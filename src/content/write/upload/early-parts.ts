import type { ByteRange } from '../../byte-range.ts';
import { leftBehind, partRange, partsIn } from '../parts/part-plan.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import type { CurrentUpload } from './current-upload.ts';
import type { MultipartUpload } from './multipart-upload.ts';
import { isUploadGone } from './open-upload.ts';

/** A file that outgrew its upload is taken to become so many times as large. */
const GROWTH = 4;

/**
 * Sends the full parts that the writer of a draft has left behind while it writes on, each at most once; what is changed
 * afterwards its publication sends.
 */
export class EarlyParts {
  readonly #content: DraftContent;
  readonly #current: CurrentUpload;
  #previousWrite: ByteRange = { start: 0, end: 0 };
  #publishing = false;
  #error: unknown;

  constructor(content: DraftContent, current: CurrentUpload) {
    this.#content = content;
    this.#current = current;
  }

  /** The failure of a part: no more are sent until it is tried again. */
  get error(): unknown {
    return this.#error;
  }

  /** The writer wrote a range. */
  afterWrite(write: ByteRange): void {
    const before = this.#previousWrite;
    this.#previousWrite = write;
    if (this.#publishing || this.#error !== undefined || this.#current.isBeginning) return;
    const { layout } = this.#current;
    const candidates = new Set([...partsIn(before, layout), ...partsIn(write, layout)]);
    const ready = this.#readyOf(candidates);
    if (ready.length > 0) this.#send(ready);
  }

  /**
   * Runs a publication, which sends all parts itself, those that failed before included. Meanwhile none is sent early.
   */
  async whilePublishing<T>(publish: () => Promise<T>): Promise<T> {
    this.#publishing = true;
    try {
      await this.#current.begun();
      this.#error = undefined;
      const published = await publish();
      // Parts that failed meanwhile were sent again by the publication.
      this.#error = undefined;
      return published;
    } finally {
      this.#publishing = false;
    }
  }

  /** Sends what failed, for by now the store may be back: throws when it is not. False when nothing had failed. */
  async retry(): Promise<boolean> {
    if (this.#error === undefined || this.#publishing) return false;
    const upload = this.#current.now;
    if (upload === undefined) return this.restart();
    this.#error = undefined;
    this.#sendBehind(upload);
    return this.#sentSome();
  }

  /** Sends all anew that the writer has left behind, and throws when it cannot. False when a publication sends it. */
  async restart(): Promise<boolean> {
    if (this.#publishing) return false;
    this.#error = undefined;
    this.#restartFor(this.#content.sizeBytes);
    return this.#sentSome();
  }

  async #sentSome(): Promise<boolean> {
    await this.#current.begun();
    await this.#current.now?.nextSent();
    if (this.#error !== undefined) throw this.#error;
    return true;
  }

  #send(numbers: readonly number[]): void {
    const upload = this.#current.now;
    const { sizeBytes, released } = this.#content;
    if (upload === undefined) this.#restartFor(sizeBytes);
    else if (!upload.mayHold(sizeBytes) && !released) this.#restartFor(sizeBytes * GROWTH);
    else for (const number of numbers) this.#sendPart(upload, number);
  }

  #sendPart(upload: MultipartUpload, number: number): void {
    const range = partRange(number, this.#content.sizeBytes, upload.layout);
    upload.send(number, range).catch((error: unknown) => {
      if (this.#current.now !== upload || this.#current.isBeginning) return;
      const { sizeBytes, released } = this.#content;
      // One that never had a part is no better begun anew.
      const isSwept = isUploadGone(error) && upload.state.parts.length > 0;
      if (isSwept && !released && !this.#publishing) this.#restartFor(sizeBytes);
      else this.#error ??= error;
    });
  }

  /** Begins an upload for a file that will have about so many bytes, and sends all that is behind the writer. */
  #restartFor(expectedBytes: number): void {
    this.#current.replace(expectedBytes).then(
      (upload) => this.#sendBehind(upload),
      (error: unknown) => {
        this.#error ??= error;
      },
    );
  }

  #sendBehind(upload: MultipartUpload): void {
    const all = partsIn({ start: 0, end: this.#content.sizeBytes }, upload.layout);
    for (const number of this.#readyOf(all)) this.#sendPart(upload, number);
  }

  /** Those that the writer has left behind, all of whose bytes are local, and that were never sent. */
  #readyOf(candidates: Iterable<number>): number[] {
    const { layout, now } = this.#current;
    const { sizeBytes } = this.#content;
    return leftBehind(candidates, this.#previousWrite, { sizeBytes, ...layout }).filter(
      (number) => (now?.isNew(number) ?? true) && this.#content.isLocal(partRange(number, sizeBytes, layout)),
    );
  }
}
