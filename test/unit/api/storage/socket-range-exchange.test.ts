/** When a range is left to a whole HTTP client, and when it is not asked for at all. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionPool } from '../../../../src/api/storage/connection-pool.ts';
import type { RangeExchange, SliceProgress } from '../../../../src/api/storage/range-exchange.ts';
import { socketRangeExchange } from '../../../../src/api/storage/socket-range-exchange.ts';
import { receivingConnections } from '../../../../src/api/storage/store-connections.ts';
import { type RawServer, rangeBytes, rangeHead, startRawServer } from '../../../support/raw-http-server.ts';

const object = Buffer.alloc(1000, 'x');
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n4\r\noops\r\n0\r\n\r\n';

/** Two exchanges, the first of which is answered with `status` in chunks: what came of it, and whether each was left to the other. */
async function exchangeTwice(status: string): Promise<{ error: unknown; fallenBack: readonly number[] }> {
  await using server = await startRawServer((socket, request, before) => {
    if (before === 0) socket.write(`HTTP/1.1 ${status}\r\n${CHUNKED}`);
    else socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
  });
  const pool = receivingConnections({ connections: 2, connectTimeoutMs: 1000 });
  const fallenBack: number[] = [];
  let exchanges = 0;
  const fallback: RangeExchange = async () => {
    fallenBack.push(exchanges);
    return { receivedBytes: 0, answer: undefined, error: 'fallen back' };
  };
  const exchange = socketRangeExchange(pool, fallback);
  const once = (): Promise<SliceProgress> => {
    exchanges += 1;
    const into = Buffer.alloc(10);
    const told = { onAnswer: () => {}, onProgress: () => {} };
    return exchange({ url: new URL(server.url), offset: 0, length: 10, into, stallTimeoutMs: 1000, ...told });
  };
  const { error } = await once();
  await once();
  pool.close();
  return { error, fallenBack };
}

it('is for all that follows when a range comes in chunks', async () => {
  expect(await exchangeTwice('206 Partial Content')).toEqual({ error: 'fallen back', fallenBack: [1, 2] });
});

it('is once when it is another success that comes in chunks', async () => {
  expect(await exchangeTwice('200 OK')).toEqual({ error: 'fallen back', fallenBack: [1] });
});

it('is never when an error comes in chunks: its status tells all', async () => {
  const { error, fallenBack } = await exchangeTwice('503 Slow Down');
  expect(error).toMatchObject({ kind: 'failed', status: 503 });
  expect(fallenBack).toEqual([]);
});

describe('a range that is given up in the turn in which it gets its connection', () => {
  const givenUp = { receivedBytes: 0, answer: undefined, error: 'given up' };
  let server: RawServer;
  let pool: ConnectionPool;
  let given: AbortController;
  beforeEach(async () => {
    server = await startRawServer((socket, request) => {
      socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
    });
    pool = receivingConnections({ connections: 1, connectTimeoutMs: 1000 });
    given = new AbortController();
  });
  afterEach(async () => {
    pool.close();
    await server[Symbol.asyncDispose]();
  });

  async function exchange(signal?: AbortSignal): Promise<SliceProgress> {
    const exchangeSlice = socketRangeExchange(pool, () => Promise.reject(new Error('fallen back')));
    const slice = { url: new URL(server.url), offset: 0, length: 10, into: Buffer.alloc(10) };
    const told = { onAnswer: () => {}, onProgress: () => {} };
    return exchangeSlice({ ...slice, stallTimeoutMs: 1000, ...told }, signal);
  }

  it('is not asked for, and leaves the connection to the next', async () => {
    const exchanging = exchange(given.signal);
    given.abort('given up');
    expect(await exchanging).toEqual(givenUp);
    expect(await exchange()).toMatchObject({ receivedBytes: 10 });
    expect(server.requests).toHaveLength(1);
    expect(server.connections()).toBe(1);
  });

  it('is not asked for when it waited for that, and leaves the connection to who waits behind it', async () => {
    const { giveBack } = pool;
    vi.spyOn(pool, 'giveBack').mockImplementationOnce((...of) => {
      giveBack.apply(pool, of);
      given.abort('given up');
    });
    const [first, second, third] = await Promise.all([exchange(), exchange(given.signal), exchange()]);
    expect(second).toEqual(givenUp);
    expect([first, third]).toMatchObject([{ receivedBytes: 10 }, { receivedBytes: 10 }]);
    expect(server.requests).toHaveLength(2);
    expect(server.connections()).toBe(1);
  });
});
