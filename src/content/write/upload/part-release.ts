/**
 * Room in the spool for a file that is larger than the spool: the bytes of sent parts are let go of. From then on they
 * are in the unfinished upload only, which can no longer be given up.
 */
import type { ByteRange } from '../../byte-range.ts';
import type { Journal } from '../journal/journal.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import type { CurrentUpload } from './current-upload.ts';
import type { EarlyParts } from './early-parts.ts';
import type { MultipartUpload } from './multipart-upload.ts';

export interface PartReleaseOptions {
  readonly content: DraftContent;
  readonly journal: Journal;
  readonly current: CurrentUpload;
  readonly early: EarlyParts;
  /** Has the journal say what was let go of. */
  readonly record: () => void;
  /** To be waited for before the spool lets go of bytes before `end`. */
  readonly beforeRelease: (end: number) => Promise<void>;
  /** So many first bytes the spool keeps: a close has said that they are safe here, and an upload may be lost. */
  readonly closedBytes: () => number;
}

export class PartRelease {
  readonly #options: PartReleaseOptions;
  /** Until then the draft may get another target: the upload must be one that can be given up. */
  #moved: Promise<void> | undefined;

  constructor(options: PartReleaseOptions) {
    this.#options = options;
  }

  /**
   * Lets go of what was sent, to an upload that can become a larger file. Waits for a part on its way when there is none, and sends those that failed once more, or
   * throws why they cannot be sent; false when there are none either.
   */
  async releaseSent(): Promise<boolean> {
    const { content, journal, current, early, record, beforeRelease } = this.#options;
    if (this.#moved !== undefined) return this.#moved.then(() => true);
    const upload = await current.begun();
    // The writer that needs room is about to make the file larger.
    if (!content.released && (await upload?.isForAnother())) return early.restart();
    // The parts of an upload that was given up meanwhile count for nothing.
    const held = (): ByteRange[] =>
      upload === current.now && this.#moved === undefined ? this.#heldBy(upload) : [];
    const local = held().filter((range) => content.isLocal(range));
    if (local.length > 0) {
      const end = Math.max(...local.map((range) => range.end));
      await beforeRelease(end);
      await content.release(
        () => held().filter((range) => range.end <= end),
        () => {
          record();
          return journal.durable();
        },
      );
      return true;
    }
    const sent = upload?.nextSent();
    await sent;
    return sent !== undefined || (await early.retry());
  }

  /** Runs what gives the draft another target; until that has ended the spool lets go of nothing. */
  async whileMoved<T>(move: () => Promise<T>): Promise<T> {
    this.#options.current.requireRestart();
    const moving = move();
    const end = (): void => {
      this.#moved = undefined;
    };
    this.#moved = moving.then(end, end);
    return moving;
  }

  #heldBy(upload: MultipartUpload | undefined): ByteRange[] {
    const { closedBytes } = this.#options;
    return (upload?.heldRanges() ?? []).filter((range) => range.start >= closedBytes());
  }
}
