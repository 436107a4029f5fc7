/** The rest of a range that waits in its socket, until somebody takes it from there. */
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { getRangeOver } from '../../../../src/api/storage/get-range.ts';
import { socketRangeExchange } from '../../../../src/api/storage/socket-range-exchange.ts';
import { receivingConnections } from '../../../../src/api/storage/store-connections.ts';
import type { LentBytes, WaitingBody } from '../../../../src/api/storage-client.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import {
  type RawRequest,
  type RawServer,
  rangeBytes,
  rangeHead,
  startRawServer,
} from '../../../support/raw-http-server.ts';
import { sampleBytes } from '../../../support/sample-bytes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const KIB = 1024;
const SIZE = 1024 * KIB;
const object = sampleBytes(SIZE);
const NOTHING: Uint8Array = new Uint8Array();

const answerWhole = (socket: Socket, request: RawRequest): void => {
  socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
};

interface Reading {
  readonly body: WaitingBody;
  readonly into: Buffer;
  readonly done: Promise<unknown>;
  /** As told by `onProgress`. */
  readonly progress: () => number;
  /** Reads the object again. */
  readonly again: () => Promise<void>;
}

interface How {
  readonly signal?: AbortSignal;
  /** Default: as long as a test may take. */
  readonly bodyWaitMs?: number;
}

async function whileWaiting(
  server: RawServer,
  work: (reading: Reading) => Promise<void>,
  { signal, bodyWaitMs = 60_000 }: How = {},
): Promise<void> {
  const pool = receivingConnections({ connections: 4, connectTimeoutMs: 5000, bodyWaitMs });
  const exchange = socketRangeExchange(pool, () => Promise.reject(new Error('no plain answer')));
  const getRange = getRangeOver(exchange, { clock: systemClock, timeoutMs: 20_000, stallTimeoutMs: 10_000 });
  const into = Buffer.alloc(SIZE);
  let progress = 0;
  let waiting: WaitingBody | undefined;
  const onProgress = (bytes: number): void => {
    progress = bytes;
  };
  const onWaiting = (body: WaitingBody): void => {
    waiting = body;
  };
  try {
    const done = getRange(server.url, { offset: 0, into, onProgress, onWaiting }, signal);
    const body = await waitUntil(() => waiting);
    const again = async (): Promise<void> => {
      const copy = Buffer.alloc(SIZE);
      await getRange(server.url, { offset: 0, into: copy });
      expect(copy.equals(object)).toBe(true);
    };
    await work({ body, into, done, progress: () => progress, again });
  } finally {
    pool.close();
  }
}

/** The next bytes, when they have come. */
function lend(body: WaitingBody, into: Uint8Array, after: Uint8Array = NOTHING): Promise<LentBytes> {
  return waitUntil(() => body.lend(into, after));
}

/** @param more Of what comes after them. */
function takeOff({ socket, spare, taken }: LentBytes, { more = 0, spoiled = false } = {}): Buffer {
  const bytes = Buffer.alloc(spare.length + more);
  for (let at = 0; at < bytes.length; ) at += readSync(socket, bytes, at, bytes.length - at, null);
  taken({ bytes: bytes.length, reads: 1, spoiled });
  return bytes;
}

it('is taken to its end, and its connection serves the next range', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done, progress, again }) => {
    const pieces = [into.subarray(0, body.position)];
    expect(body.position).toBeLessThan(64 * KIB);
    while (body.position < SIZE) {
      const start = body.position;
      const room = into.subarray(start, Math.min(start + 300 * KIB, SIZE));
      const lent = await lend(body, room);
      pieces.push(takeOff(lent));
      lent.release();
      expect(progress()).toBe(start + room.length);
    }
    await done;
    expect(Buffer.concat(pieces).equals(object)).toBe(true);
    await again();
    expect(server.connections()).toBe(1);
  });
});

it('is received behind what was taken, when that is asked for', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const end = start + 100 * KIB;
    const lent = await lend(body, into.subarray(start, end));
    const taken = takeOff(lent);
    lent.release();
    body.receive();
    await done;
    expect(taken.equals(object.subarray(start, end))).toBe(true);
    expect(into.subarray(end).equals(object.subarray(end))).toBe(true);
    expect(body.lend(into.subarray(0, 1), NOTHING)).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });
});

it('is taken further than was asked for: to its end', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done, progress, again }) => {
    const start = body.position;
    const middle = start + 100 * KIB;
    const lent = await lend(body, into.subarray(start, middle), into.subarray(middle));
    const taken = takeOff(lent, { more: SIZE - middle });
    expect(lent.release()).toMatchObject({ bytes: SIZE - start });
    expect([progress(), body.position]).toEqual([SIZE, SIZE]);
    await done;
    expect(taken.equals(object.subarray(start))).toBe(true);
    await again();
    expect(server.connections()).toBe(1);
  });
});

it('is received behind what was taken further than was asked for', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const [middle, end] = [start + 100 * KIB, start + 150 * KIB];
    const lent = await lend(body, into.subarray(start, middle), into.subarray(middle));
    takeOff(lent, { more: end - middle });
    lent.release();
    expect(body.position).toBe(end);
    body.receive();
    await done;
    expect(into.subarray(end).equals(object.subarray(end))).toBe(true);
    expect(into.subarray(start, end).equals(Buffer.alloc(end - start))).toBe(true);
    expect(server.requests).toHaveLength(1);
  });
});

it('comes over another connection, behind what was taken, when its own is spoiled', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const [middle, end] = [start + 100 * KIB, start + 150 * KIB];
    const lent = await lend(body, into.subarray(start, middle), into.subarray(middle));
    takeOff(lent, { more: end - middle, spoiled: true });
    lent.release();
    expect(lent.socket).toBe(-1);
    await done;
    expect(into.subarray(end).equals(object.subarray(end))).toBe(true);
    expect(server.requests.map(({ range }) => range?.[0])).toEqual([0, end]);
  });
});

it('is received in the end when nobody comes for it', async () => {
  await using server = await startRawServer(answerWhole);
  const readAll = async ({ into, done }: Reading): Promise<void> => {
    await done;
    expect(into.equals(object)).toBe(true);
  };
  await whileWaiting(server, readAll, { bodyWaitMs: 20 });
});

it('lends no more than is there, and nothing while it lends', async () => {
  let store: Socket | undefined;
  await using server = await startRawServer((socket, request) => {
    socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), object.subarray(0, SIZE / 2)]));
    store = socket;
  });
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const lent = await lend(body, into.subarray(start, SIZE / 2));
    expect(body.lend(into.subarray(SIZE / 2, SIZE / 2 + 1), NOTHING)).toBeUndefined();
    body.receive();
    store?.write(object.subarray(SIZE / 2));
    const taken = takeOff(lent);
    lent.release();
    await done;
    expect(taken.equals(object.subarray(start, SIZE / 2))).toBe(true);
    expect(into.subarray(SIZE / 2).equals(object.subarray(SIZE / 2))).toBe(true);
  });
});

it('comes over another connection, from what was lent on, when that was not taken', async () => {
  await using server = await startRawServer(answerWhole);
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const lent = await lend(body, into.subarray(start, start + 100 * KIB));
    lent.release();
    expect(lent.socket).toBe(-1);
    await done;
    expect(into.equals(object)).toBe(true);
    expect(server.requests.map(({ range }) => range?.[0])).toEqual([0, start]);
  });
});

it('comes over another connection when its own breaks behind what was taken', async () => {
  await using server = await startRawServer((socket, request, before) => {
    if (before > 0) answerWhole(socket, request);
    else socket.end(Buffer.concat([Buffer.from(rangeHead(request, object)), object.subarray(0, SIZE / 2)]));
  });
  await whileWaiting(server, async ({ body, into, done }) => {
    const start = body.position;
    const lent = await lend(body, into.subarray(start, start + 100 * KIB));
    const taken = takeOff(lent);
    lent.release();
    body.receive();
    await done;
    const end = start + 100 * KIB;
    expect(taken.equals(object.subarray(start, end))).toBe(true);
    expect(into.subarray(end).equals(object.subarray(end))).toBe(true);
    expect(server.requests.map(({ range }) => range?.[0])).toEqual([0, SIZE / 2]);
  });
});

it('is gone when the range is given up', async () => {
  await using server = await startRawServer(answerWhole);
  const given = new AbortController();
  await whileWaiting(
    server,
    async ({ body, into, done }) => {
      const start = body.position;
      const lent = await lend(body, into.subarray(start, start + 100 * KIB));
      given.abort(new Error('given up'));
      await expect(done).rejects.toThrow('given up');
      expect(lent.socket).toBe(-1);
      lent.release();
      expect(body.lend(into.subarray(start, start + 1), NOTHING)).toBeUndefined();
    },
    { signal: given.signal },
  );
});
