/**
 * The MD5 of a draft's bytes, computed from the spool behind the writer. So little is left to hash when the file is
 * closed, and bytes that the spool lets go of are hashed before.
 *
 * The bytes are taken in their order. When a hashed byte changes, the computation begins anew, but not before the close:
 * the program may change more bytes.
 */
import { createLongMd5, type Md5 } from '../../../lib/md5.ts';
import { Mutex } from '../../../lib/mutex.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import type { DraftContent } from '../spool/draft-content.ts';

/** The bytes read from the spool at once. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes no further behind the last write than this may still be changed. */
const NEAR_BYTES = 4 * PIECE_BYTES;
/** MD5 takes whole ones, up to the end (RFC 1321, 3.4). */
const BLOCK_BYTES = 64;

export interface RunningMd5Options {
  readonly content: DraftContent;
  readonly memory: MemoryPool;
  readonly partSizeBytes: number;
}

/** One computation, from the first byte on. */
interface Run {
  readonly md5: Md5;
  /** The bytes that are hashed or being read; infinite at the end of a run, which any change makes void. */
  takenBytes: number;
  /** The last bytes taken, which are no whole block. */
  rest: Buffer;
  digest?: string | undefined;
}

interface Taking {
  readonly end: number;
  readonly ready: (piece: ByteRange) => boolean | Promise<boolean>;
  readonly signal: AbortSignal;
}

export class RunningMd5 {
  readonly #options: RunningMd5Options;
  readonly #pieceBytes: number;
  readonly #nearBytes: number;
  readonly #turns = new Mutex();
  /** Undefined: bytes that the last one had taken were changed, or some that it had not were let go of. */
  #run: Run | undefined;
  #leftBehindBytes = 0;
  /** How many wait for its end. */
  #finishing = 0;

  constructor(options: RunningMd5Options) {
    this.#options = options;
    this.#pieceBytes = Math.max(BLOCK_BYTES, Math.min(PIECE_BYTES, options.partSizeBytes));
    this.#nearBytes = Math.min(NEAR_BYTES, options.partSizeBytes);
    this.#run = options.content.released ? undefined : begin();
  }

  /** The bytes of a range are about to be changed, or were. */
  touch({ start }: ByteRange): void {
    if (start >= (this.#run?.takenBytes ?? Number.POSITIVE_INFINITY)) return;
    this.#run = this.#options.content.sizeBytes === 0 ? begin() : undefined;
  }

  /** Takes what the writer of a range has left behind, beside what is done next. */
  afterWrite({ start }: ByteRange): void {
    this.#leftBehindBytes = start - this.#nearBytes;
    this.#follow();
  }

  /** To be waited for before the spool lets go of bytes before `end`. */
  async beforeRelease(end: number): Promise<void> {
    // A run that is being finished may itself wait for room in the spool.
    if (this.#finishing === 0) await this.#takeWritten(end);
  }

  /** The spool lets go of a range. */
  release({ end }: ByteRange): void {
    if (this.#run !== undefined && this.#run.takenBytes < end) this.#run = undefined;
  }

  /** In hex, of all bytes as they are; undefined when it is not known. */
  get digest(): string | undefined {
    return this.#run?.digest;
  }

  /** Takes all that is left: the digest is known then, unless bytes were changed meanwhile, or let go of before. */
  async finish(signal: AbortSignal): Promise<void> {
    const { content } = this.#options;
    this.#finishing += 1;
    try {
      await this.#turns.run(async () => {
        if (this.#run === undefined && content.released) return;
        this.#run ??= begin();
        const run = this.#run;
        run.digest ??= await this.#orDrop(run, this.#end(run, signal));
      }, signal);
      // A change that is under way may have been read already.
      await content.settled();
    } finally {
      this.#finishing -= 1;
    }
  }

  #follow(): void {
    const run = this.#run;
    if (run === undefined || this.#turns.busy) return;
    const piece = { start: run.takenBytes, end: run.takenBytes + this.#pieceBytes };
    if (piece.end > this.#leftBehindBytes || !this.#isLocal(piece)) return;
    void this.#takeWritten(this.#leftBehindBytes).then(() => this.#follow());
  }

  async #end(run: Run, signal: AbortSignal): Promise<string | undefined> {
    const { content } = this.#options;
    const { sizeBytes } = content;
    const fetched = async (piece: ByteRange): Promise<boolean> => {
      await content.fetchMissing(piece, signal);
      return true;
    };
    await this.#take(run, { end: sizeBytes, ready: fetched, signal });
    if (run !== this.#run || sizeBytes !== content.sizeBytes) return undefined;
    run.takenBytes = Number.POSITIVE_INFINITY;
    const digest = run.md5.end(run.rest);
    run.md5.hurry();
    return digest;
  }

  /** Takes what was written up to `end`; does not reject. */
  #takeWritten(end: number): Promise<void> {
    return this.#turns.run(async () => {
      const run = this.#run;
      if (run === undefined) return;
      const isWritten = (piece: ByteRange): boolean => this.#isLocal(piece);
      const taken = this.#take(run, { end, ready: isWritten, signal: NEVER_ABORTED });
      // The reader that needs the bytes reports what is wrong with the spool.
      await this.#orDrop(run, taken).catch(() => {});
    });
  }

  /** A run that failed may lack bytes that it says to have taken. */
  async #orDrop<T>(run: Run, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (run === this.#run) this.#run = undefined;
      throw error;
    }
  }

  /** Takes the bytes up to `end`, or as far as pieces are `ready`. */
  async #take(run: Run, { end, ready, signal }: Taking): Promise<void> {
    const { content, memory } = this.#options;
    if (run.takenBytes >= end) return;
    const buffer = memory.acquireNow(Math.min(this.#pieceBytes, run.rest.length + end - run.takenBytes));
    try {
      while (run.takenBytes < end) {
        const start = run.takenBytes;
        const piece = { start, end: Math.min(end, start + this.#pieceBytes - run.rest.length) };
        if (!(await ready(piece)) || run !== this.#run || piece.end > content.sizeBytes) return;
        run.takenBytes = piece.end;
        const from = run.rest.copy(buffer);
        const bytes = buffer.subarray(0, from + piece.end - start);
        await content.readInto(start, bytes.subarray(from), signal);
        await hash(run, bytes);
      }
    } finally {
      memory.release(buffer);
    }
  }

  #isLocal(range: ByteRange): boolean {
    return this.#options.content.isLocal(range);
  }
}

function begin(): Run {
  return { md5: createLongMd5(), takenBytes: 0, rest: Buffer.alloc(0) };
}

/** Gives the digest all whole blocks, and keeps the rest. */
async function hash(run: Run, bytes: Buffer): Promise<void> {
  const wholeBytes = bytes.length - (bytes.length % BLOCK_BYTES);
  run.rest = Buffer.from(bytes.subarray(wholeBytes));
  const taken = run.md5.update(bytes.subarray(0, wholeBytes));
  run.md5.hurry();
  await taken;
}
