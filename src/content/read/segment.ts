/** A run of blocks that one range request brings, in one buffer. */
export class Segment {
  readonly offset: number;
  readonly end: number;
  readonly buffer: Buffer;
  /** Settled promises are dropped: undefined means the bytes are there. */
  loading: Promise<void> | undefined;
  readonly abort = new AbortController();
  pins = 0;

  constructor(offset: number, end: number, buffer: Buffer) {
    this.offset = offset;
    this.end = end;
    this.buffer = buffer;
  }
}
