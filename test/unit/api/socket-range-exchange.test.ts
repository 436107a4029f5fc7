/** When a range is left to a whole HTTP client. */
import { expect, it } from 'vitest';
import { ConnectionPool } from '../../../src/api/storage/connection-pool.ts';
import type { RangeExchange, SliceProgress } from '../../../src/api/storage/range-exchange.ts';
import { socketRangeExchange } from '../../../src/api/storage/socket-range-exchange.ts';
import { rangeBytes, rangeHead, startRawServer } from '../../support/raw-http-server.ts';

const object = Buffer.alloc(1000, 'x');
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n4\r\noops\r\n0\r\n\r\n';

/** Two exchanges, the first of which is answered with `status` in chunks: what came of it, and whether each was left to the other. */
async function exchangeTwice(status: string): Promise<{ error: unknown; fallenBack: readonly number[] }> {
  await using server = await startRawServer((socket, request, before) => {
    if (before === 0) socket.write(`HTTP/1.1 ${status}\r\n${CHUNKED}`);
    else socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
  });
  const pool = new ConnectionPool({ connections: 2, connectTimeoutMs: 1000 });
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
