/** Readers of one file, some of whom take bytes off sockets: each gets his own, whoever took others before him. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getRangeOver } from '../../../../src/api/storage/get-range.ts';
import type { RangeExchange, Slice, SliceProgress } from '../../../../src/api/storage/range-exchange.ts';
import type { LentBytes, StorageClient, WaitingBody } from '../../../../src/api/storage-client.ts';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { OpenVersion } from '../../../../src/content/ports.ts';
import { type CachingReader, createContentReader } from '../../../../src/content/read/content-reader.ts';
import type { ByteChunks, TakenBytes } from '../../../../src/lib/byte-chunks.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { sampleBytes } from '../../../support/sample-bytes.ts';
import { FakePlatform } from '../fake-platform.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const FILE = sampleBytes(40 * MIB + 777);
const ANSWER = { etag: 'etag', objectSizeBytes: FILE.length };
/** The bytes that come with the head of an answer. */
const FIRST_BYTES = 1000;
const { signal } = new AbortController();
const NOTHING = new Uint8Array();

/** The rest of an answer: all of it is there, until its connection breaks. */
class Rest implements WaitingBody {
  position = FIRST_BYTES;
  readonly ended: Promise<SliceProgress>;
  readonly #slice: Slice;
  #end: (progress: SliceProgress) => void = () => {};
  #receivedBytes = FIRST_BYTES;
  #usesLeft: number;
  #isLent = false;
  #isOver = false;
  #isBroken = false;

  /** @param usesLeft Breaks when it was used so often. */
  constructor(slice: Slice, usesLeft: number) {
    this.#slice = slice;
    this.#usesLeft = usesLeft;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  lend(spare: Uint8Array, after: Uint8Array): LentBytes | undefined {
    if (this.#isLent || this.#isOver) return undefined;
    if (this.#usesLeft-- === 0) {
      this.break('reset');
      return undefined;
    }
    const start = this.position;
    const from = this.#slice.offset + start;
    this.#isLent = true;
    this.position += spare.length;
    let all: TakenBytes = { bytes: 0, reads: 0 };
    return {
      socket: 7,
      spare,
      after,
      taken: (what) => {
        all = what;
        FILE.copy(spare, 0, from, from + spare.length);
        FILE.copy(after, 0, from + spare.length, from + all.bytes);
      },
      release: () => {
        // It was the kernel's, and is not in memory.
        spare.fill(0xee);
        after.fill(0xee);
        this.#isLent = false;
        if (all.bytes > 0) {
          this.position = start + all.bytes;
          this.#received(this.position);
        }
        if (all.bytes === 0 || all.spoiled) this.break('not taken');
        else if (this.#isOver) this.#receive();
        return all;
      },
    };
  }

  receive(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isLent) this.#receive();
  }

  break(reason: string): void {
    this.#isOver = true;
    this.#isBroken = true;
    this.#end({ receivedBytes: this.#receivedBytes, answer: ANSWER, error: new Error(reason) });
  }

  #receive(): void {
    setImmediate(() => {
      if (this.#isBroken) return;
      const { offset, into, length } = this.#slice;
      const from = this.#receivedBytes;
      const to = this.#usesLeft-- === 0 ? Math.floor((from + length) / 2) : length;
      FILE.copy(into, from, offset + from, offset + to);
      this.#received(to);
      if (to < length) this.break('reset');
    });
  }

  #received(bytes: number): void {
    this.#receivedBytes = bytes;
    this.#slice.onProgress(bytes);
    if (bytes === this.#slice.length) this.#end({ receivedBytes: bytes, answer: ANSWER, error: undefined });
  }
}

/** @param lives How often an answer may be used, one after the other. */
function exchangeOf(lives: Iterator<number>): RangeExchange {
  return (slice, ending) => {
    const first = Math.min(FIRST_BYTES, slice.length);
    slice.onAnswer(ANSWER);
    FILE.copy(slice.into, 0, slice.offset, slice.offset + first);
    slice.onProgress(first);
    if (first === slice.length)
      return Promise.resolve({ receivedBytes: first, answer: ANSWER, error: undefined });
    const rest = new Rest(slice, lives.next().value ?? Number.POSITIVE_INFINITY);
    ending?.addEventListener('abort', () => rest.break('abandoned'));
    if (slice.onWaiting) slice.onWaiting(rest);
    else rest.receive();
    return rest.ended;
  };
}

function readerOver(exchange: RangeExchange): { readonly reader: CachingReader; open(): OpenVersion } {
  const platform = new FakePlatform();
  const clock = new HastyClock();
  const getRange = getRangeOver(exchange, { clock, timeoutMs: 60_000, stallTimeoutMs: 60_000 });
  const storage: StorageClient = {
    ...platform.storage,
    getRange: (path, ...how) => getRange(`http://store/${path}`, ...how),
  };
  const reader = createContentReader({
    api: platform.api,
    storage,
    memory: new MemoryPool(512 * MIB),
    clock,
  });
  const version = { kind: 'file', fileId: platform.addFile(FILE).id, sizeBytes: FILE.length } as const;
  return { reader, open: () => reader.open(version) };
}

type How = Pick<Step, 'takes' | 'more' | 'spoils'>;

interface Step {
  readonly reader: number;
  /** From where this reader stands. */
  readonly skip: number;
  readonly bytes: number;
  readonly splices: boolean;
  /** The kernel wants the reply, as it does of all but a program that was interrupted. */
  readonly takes: boolean;
  /** How much the kernel reads on at once, if what it has read was in a socket. */
  readonly more: number;
  /** The bytes in the socket are lost then. */
  readonly spoils: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  reader: fc.nat(2),
  skip: fc.oneof(
    { weight: 30, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -3 * MIB, max: 3 * MIB }) },
  ),
  bytes: fc.oneof(
    { weight: 6, arbitrary: fc.constant(512 * KIB) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 512 * KIB }) },
  ),
  splices: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  takes: fc.oneof({ weight: 30, arbitrary: fc.constant(true) }, fc.constant(false)),
  more: fc.oneof(fc.constant(0), fc.constant(4 * MIB), fc.integer({ min: 1, max: 4 * MIB })),
  spoils: fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** One handle, read from where its reader stands. */
class Reader {
  readonly #handle: OpenVersion;
  #position = 0;

  constructor(handle: OpenVersion) {
    this.#handle = handle;
  }

  get position(): number {
    return this.#position;
  }

  /** Checks what it reads. */
  async take({ skip, bytes, splices, ...how }: Step): Promise<void> {
    const from = Math.max(0, this.#position + skip);
    const lent = this.#handle.read(from, bytes, { signal, splices });
    // Before anything else is waited for: who goes on reads where nobody was meanwhile.
    this.#position = from + bytes;
    const read = answerWith(lent instanceof Promise ? await lent : lent, how);
    this.#position = Math.max(this.#position, from + read.length);
    if (how.takes) expect(read.equals(FILE.subarray(from, from + read.length))).toBe(true);
  }
}

function answerWith({ chunks, rest, release }: ByteChunks, { takes, more, spoils }: How): Buffer {
  const after = rest?.after.subarray(0, more);
  if (takes && rest !== undefined && after !== undefined) {
    const bytes = rest.spare.length + after.length;
    rest.taken({ bytes, reads: after.length > 0 ? 2 : 1, spoiled: spoils });
  }
  const read = Buffer.concat([...chunks, rest?.spare ?? NOTHING, after ?? NOTHING]);
  release?.();
  return read;
}

it.each([
  ['', fc.constant<readonly number[]>([])],
  [', over connections that break', fc.array(fc.nat(12), { minLength: 20 })],
])('is right for each of several readers, in any order%s', async (_, lives) => {
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 80 });
  let spliced = 0;
  await fc.assert(
    fc.asyncProperty(rounds, lives, async (all, lifetimes) => {
      const { reader, open } = readerOver(exchangeOf(lifetimes[Symbol.iterator]()));
      const readers = [0, 1, 2].map(() => new Reader(open()));
      for (const round of all) await Promise.all(round.map((one) => readers[one.reader]?.take(one)));
      spliced += reader.statistics().splicedBytes;
    }),
    { numRuns: 30 },
  );
  expect(spliced).toBeGreaterThan(0);
});

it('is fetched once when all that was read on is known to have been read', async () => {
  const { reader, open } = readerOver(exchangeOf([][Symbol.iterator]()));
  const one = new Reader(open());
  const step = {
    reader: 0,
    skip: 0,
    bytes: 512 * KIB,
    splices: true,
    takes: true,
    more: 4 * MIB,
    spoils: false,
  };
  while (one.position < FILE.length) await one.take(step);
  expect(reader.statistics().fetchedBytes).toBe(FILE.length);
  expect(reader.statistics().splicedBytes).toBeGreaterThan(FILE.length / 2);
});
