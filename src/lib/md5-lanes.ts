import { optionalAddon } from './optional-addon.ts';

/** native/src/md5/calls.cc */
export interface Md5Addon {
  update(
    states: readonly Uint8Array[],
    pieces: readonly Uint8Array[],
    totals: readonly number[],
  ): Promise<void>;
}

/** Undefined where it is not built. */
export function md5Addon(): Md5Addon | undefined {
  return optionalAddon<Md5Addon>('md5');
}

/** The most bytes that one digest gives to a call: another digest that comes meanwhile joins the next call. */
const STRETCH_BYTES = 2 * 1024 * 1024;
/** As many as the widest processors have lanes: fewer take as long. */
const ENOUGH = 16;
const NOT_LAST = -1;
/** RFC 1321, 3.3. */
const INITIAL_STATE = Buffer.from('0123456789abcdeffedcba9876543210', 'hex');

/** The digest of bytes that come in pieces, which must not change until what took them has resolved. */
export interface Md5 {
  /** Takes a multiple of 64 bytes. Need not be awaited before the next piece. */
  update(piece: Uint8Array): Promise<void>;
  /** Takes the last piece, of any length, and answers the digest in hex. */
  end(piece: Uint8Array): Promise<string>;
  /**
   * Someone waits for what was given so far. Until this is called the work may be put off, to be done together with
   * that of others.
   */
  hurry(): void;
}

interface Piece {
  rest: Uint8Array;
  /** Of the whole input when this is its end, else `NOT_LAST`. */
  readonly totalBytes: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** One digest in the making. */
interface Lane {
  readonly state: Uint8Array;
  readonly pieces: Piece[];
  hurried: boolean;
}

/**
 * Many MD5 digests side by side on one thread. The steps of one digest depend on each other, so a processor hashes
 * sixteen at once in about the time of two. So it pays to let work lie until there is enough of it or a caller waits.
 */
export class Md5Lanes {
  readonly #addon: Md5Addon;
  /** Those with pieces to take. */
  readonly #waiting = new Set<Lane>();
  #running = false;

  constructor(addon: Md5Addon) {
    this.#addon = addon;
  }

  begin(): Md5 {
    const lane: Lane = { state: Buffer.from(INITIAL_STATE), pieces: [], hurried: false };
    let givenBytes = 0;
    return {
      update: (piece) => {
        if (piece.length % 64 !== 0) throw new RangeError('only the last piece has no whole blocks');
        givenBytes += piece.length;
        return this.#take(lane, piece, NOT_LAST);
      },
      end: async (piece) => {
        await this.#take(lane, piece, givenBytes + piece.length);
        return Buffer.from(lane.state).toString('hex');
      },
      hurry: () => {
        lane.hurried = true;
        this.#wake();
      },
    };
  }

  #take(lane: Lane, piece: Uint8Array, totalBytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      lane.pieces.push({ rest: piece, totalBytes, resolve, reject });
      this.#waiting.add(lane);
      this.#wake();
    });
  }

  #wake(): void {
    if (!this.#running && this.#isDue()) void this.#run();
  }

  #isDue(): boolean {
    if (this.#waiting.size >= ENOUGH) return true;
    for (const lane of this.#waiting) if (lane.hurried) return true;
    return false;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    // All requests of one turn go together.
    await undefined;
    while (this.#isDue()) await this.#stretch([...this.#waiting]);
    this.#running = false;
  }

  /** Takes some of the first piece of each. */
  async #stretch(lanes: readonly Lane[]): Promise<void> {
    const firsts = lanes.flatMap(({ pieces }) => pieces.slice(0, 1));
    const stretches = firsts.map(({ rest }) => rest.subarray(0, STRETCH_BYTES));
    const totals = firsts.map(({ rest, totalBytes }) =>
      rest.length > STRETCH_BYTES ? NOT_LAST : totalBytes,
    );
    const failure = await this.#addon
      .update(
        lanes.map(({ state }) => state),
        stretches,
        totals,
      )
      .then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    for (const [index, piece] of firsts.entries()) {
      piece.rest = piece.rest.subarray(STRETCH_BYTES);
      if (failure) piece.reject(failure.error);
      else if (piece.rest.length === 0) piece.resolve();
      else continue;
      this.#leave(lanes[index]);
    }
  }

  /** The first piece of a lane is done. */
  #leave(lane: Lane | undefined): void {
    if (!lane) return;
    lane.pieces.shift();
    if (lane.pieces.length > 0) return;
    lane.hurried = false;
    this.#waiting.delete(lane);
  }
}
