/** Readers of one file, some of whom take bytes off sockets: each gets his own, whoever took others before him. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LentBytes, RangeToRead, StorageClient, WaitingBody } from '../../../src/api/api.ts';
import { MemoryPool } from '../../../src/content/memory/memory-pool.ts';
import type { OpenVersion } from '../../../src/content/ports.ts';
import { createContentReader } from '../../../src/content/read/content-reader.ts';
import type { ByteChunks } from '../../../src/lib/byte-chunks.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakePlatform, patterned } from './fake-platform.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZE = 40 * MIB + 777;
const FILE = patterned(SIZE);
/** What comes with the head of an answer. */
const FIRST_BYTES = 1000;
const { signal } = new AbortController();

/** The rest of a range, all of it there. */
class Waiting implements WaitingBody {
  position = FIRST_BYTES;
  readonly done: Promise<void>;
  readonly #range: RangeToRead;
  #finish: () => void = () => {};
  #isLent = false;
  #isOver = false;

  constructor(range: RangeToRead) {
    this.#range = range;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  lend(spare: Uint8Array): LentBytes | undefined {
    if (this.#isLent || this.#isOver) return undefined;
    const from = this.#range.offset + this.position;
    this.#isLent = true;
    this.position += spare.length;
    return {
      socket: 7,
      spare,
      taken: () => void FILE.copy(spare, 0, from, from + spare.length),
      release: () => {
        spare.fill(0xee);
        this.#isLent = false;
        this.#range.onProgress?.(this.position);
        if (this.position === this.#range.into.length) this.#finish();
        else if (this.#isOver) this.#receive();
      },
    };
  }

  receive(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isLent) this.#receive();
  }

  #receive(): void {
    setImmediate(() => {
      const { offset, into, onProgress } = this.#range;
      FILE.copy(into, this.position, offset + this.position, offset + into.length);
      onProgress?.(into.length);
      this.#finish();
    });
  }
}

/** The platform's, whose larger ranges wait. */
function withWaiting(storage: StorageClient): StorageClient {
  const getRange: StorageClient['getRange'] = async (url, range, ending) => {
    const { offset, into, onAnswer, onProgress, onWaiting } = range;
    if (onWaiting === undefined || into.length <= FIRST_BYTES) return storage.getRange(url, range, ending);
    const answer = { etag: 'etag-f1', objectSizeBytes: SIZE };
    onAnswer?.(answer);
    FILE.copy(into, 0, offset, offset + FIRST_BYTES);
    onProgress?.(FIRST_BYTES);
    const body = new Waiting(range);
    onWaiting(body);
    await body.done;
    return answer;
  };
  return { ...storage, getRange };
}

interface Step {
  readonly reader: number;
  /** From where this reader stands. */
  readonly skip: number;
  readonly bytes: number;
  readonly splices: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  reader: fc.nat(2),
  skip: fc.oneof(
    { weight: 30, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -3 * MIB, max: 3 * MIB }) },
  ),
  bytes: fc.oneof({ weight: 6, arbitrary: fc.constant(512 * KIB) }, fc.integer({ min: 1, max: 512 * KIB })),
  splices: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
});

/** A reader of one handle, who goes on from where he stands. */
class Reader {
  readonly #handle: OpenVersion;
  #position = 0;

  constructor(handle: OpenVersion) {
    this.#handle = handle;
  }

  /** Checks what it reads. */
  async take({ skip, bytes, splices }: Step): Promise<void> {
    const from = Math.max(0, this.#position + skip);
    this.#position = from + bytes;
    const lent = this.#handle.read(from, bytes, { signal, splices });
    const read = lent instanceof Promise ? taken(await lent) : taken(lent);
    expect(read.equals(FILE.subarray(from, from + bytes))).toBe(true);
  }
}

function taken({ chunks, rest, release }: ByteChunks): Buffer {
  rest?.taken();
  const bytes = Buffer.concat([...chunks, ...(rest ? [rest.spare] : [])]);
  release?.();
  return bytes;
}

it('is right for each of several readers, in any order', async () => {
  let spliced = 0;
  const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 40, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(steps, async (rounds) => {
      const platform = new FakePlatform();
      const storage = withWaiting(platform.storage);
      const memory = new MemoryPool(512 * MIB);
      const reader = createContentReader({ api: platform.api, storage, memory, clock: new FakeClock() });
      const version = { kind: 'file', fileId: platform.addFile(FILE).id, sizeBytes: SIZE } as const;
      const readers = [0, 1, 2].map(() => new Reader(reader.open(version)));
      for (const round of rounds) await Promise.all(round.map((one) => readers[one.reader]?.take(one)));
      spliced += reader.statistics().splicedBytes;
    }),
    { numRuns: 50 },
  );
  expect(spliced).toBeGreaterThan(0);
});
