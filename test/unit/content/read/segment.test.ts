/** Bytes that are handed on from their socket, and so pass a segment by. */
import { describe, expect, it } from 'vitest';
import type { WaitingBody } from '../../../../src/api/storage-client.ts';
import { Segment } from '../../../../src/content/read/segment.ts';
import { SegmentIndex } from '../../../../src/content/read/segment-index.ts';

const OFFSET = 1000;
const SIZE = 500;

/** A body of which the first `position` bytes were received. */
class FakeBody implements WaitingBody {
  position: number;
  isReceived = false;
  #there: number;

  constructor(position: number, there: number) {
    this.position = position;
    this.#there = there;
  }

  lend(spare: Uint8Array, after: Uint8Array): ReturnType<WaitingBody['lend']> {
    if (this.isReceived || this.position + spare.length > this.#there) return undefined;
    this.position += spare.length;
    let all = { bytes: 0, reads: 0 };
    return {
      socket: 7,
      spare,
      after,
      taken: (what) => {
        all = what;
      },
      release: () => {
        this.position += Math.max(0, all.bytes - spare.length);
        return all;
      },
    };
  }

  receive(): void {
    this.isReceived = true;
  }
}

interface Setup {
  readonly segment: Segment;
  readonly body: FakeBody;
}

function waiting({ received, there }: { received: number; there: number }): Setup {
  const segment = new Segment(OFFSET, OFFSET + SIZE, Buffer.alloc(SIZE));
  const body = new FakeBody(received, there);
  segment.filled(received);
  segment.waits(body);
  return { segment, body };
}

describe('a segment whose bytes wait in their socket', () => {
  it('hands on those that are next: what was received, then the rest', () => {
    const { segment } = waiting({ received: 10, there: SIZE });
    const first = segment.handOn(OFFSET, OFFSET + 100);
    expect(first?.chunks.map(({ length }) => length)).toEqual([10]);
    expect(first?.rest?.spare).toHaveLength(90);
    const second = segment.handOn(OFFSET + 100, OFFSET + SIZE);
    expect(second?.chunks).toEqual([]);
    expect(second?.rest?.spare).toHaveLength(400);
    expect(segment.isEmpty).toBe(true);
    expect(segment.isSpent).toBe(true);
  });

  it('hands on nothing else', () => {
    const { segment } = waiting({ received: 10, there: 200 });
    expect(segment.handOn(OFFSET + 4, OFFSET + 100), 'not the next').toBeUndefined();
    expect(segment.handOn(OFFSET, OFFSET + 10), 'all received').toBeUndefined();
    expect(segment.handOn(OFFSET, OFFSET + 201), 'not all there').toBeUndefined();
    expect(segment.handOn(OFFSET, OFFSET + SIZE + 1), 'not all in here').toBeUndefined();
    expect(segment.front).toBe(OFFSET);
    expect(segment.handOn(OFFSET, OFFSET + 200)).toBeDefined();
    expect(segment.handOn(OFFSET + 100, OFFSET + 250), 'handed on before').toBeUndefined();
  });

  it('hands on what comes after them to who takes it as well, and goes on behind that', () => {
    const { segment } = waiting({ received: 10, there: SIZE });
    const first = segment.handOn(OFFSET, OFFSET + 100);
    expect(first?.rest.after).toHaveLength(SIZE - 100);
    first?.rest.taken({ bytes: 90 + 200, reads: 3 });
    expect(first?.release()).toBe(3);
    expect(segment.front).toBe(OFFSET + 300);
    const second = segment.handOn(OFFSET + 300, OFFSET + 400);
    expect(second?.rest.after).toHaveLength(100);
    second?.rest.taken({ bytes: 200, reads: 2 });
    second?.release();
    expect([segment.isEmpty, segment.isSpent]).toEqual([true, true]);
  });

  it('has handed on what was asked for, even if nobody took it', () => {
    const { segment } = waiting({ received: 10, there: SIZE });
    expect(segment.handOn(OFFSET, OFFSET + 100)?.release()).toBe(0);
    expect(segment.front).toBe(OFFSET + 100);
  });

  it('is found no longer by what it has handed on, which can be fetched anew', () => {
    const { segment } = waiting({ received: 10, there: SIZE });
    const index = new SegmentIndex(() => {});
    index.add(segment);
    segment.handOn(OFFSET, OFFSET + 100);
    expect(index.at(OFFSET + 99)).toBeUndefined();
    expect(index.at(OFFSET + 100)).toBe(segment);
    expect(index.gapEnd(OFFSET, OFFSET + SIZE)).toBe(OFFSET + 100);
    index.remove(segment);
    expect(index.empty).toBe(true);
  });

  it('has them received when somebody needs them in memory', async () => {
    const { segment, body } = waiting({ received: 10, there: SIZE });
    expect(segment.until(OFFSET + 10), 'there already').toBeUndefined();
    expect(body.isReceived).toBe(false);
    const there = segment.until(OFFSET + 100);
    expect(body.isReceived).toBe(true);
    segment.filled(SIZE);
    await there;
    expect(segment.handOn(OFFSET, OFFSET + 100)).toBeUndefined();
  });

  it('has them received at once when somebody waits already', async () => {
    const segment = new Segment(OFFSET, OFFSET + SIZE, Buffer.alloc(SIZE));
    const there = segment.until(OFFSET + 100);
    const body = new FakeBody(10, SIZE);
    segment.waits(body);
    expect(body.isReceived).toBe(true);
    segment.filled(SIZE);
    await there;
  });
});
