/** The memory that a kept answer holds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { socketRangeExchange } from '../../../../src/api/storage/socket-range-exchange.ts';
import { receivingConnections } from '../../../../src/api/storage/store-connections.ts';
import type { RangeAnswer } from '../../../../src/api/storage-client.ts';
import { startRawServer } from '../../../support/raw-http-server.ts';

const RANGES = 500;
const RANGE_BYTES = 15 * 1024;
const HEAD = [
  'HTTP/1.1 206 Partial Content',
  `Content-Range: bytes 0-${RANGE_BYTES - 1}/${RANGE_BYTES}`,
  `Content-Length: ${RANGE_BYTES}`,
  'ETag: "0123456789abcdef0123456789abcdef"',
  '\r\n',
].join('\r\n');

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('is no text of the body that came with its head', async () => {
  await using server = await startRawServer((socket) =>
    socket.write(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(RANGE_BYTES)])),
  );
  const pool = receivingConnections({ connections: 1, connectTimeoutMs: 1000 });
  const exchange = socketRangeExchange(pool, () => Promise.reject(new Error('fallen back')));
  const into = Buffer.alloc(RANGE_BYTES);
  const kept: RangeAnswer[] = [];
  const once = async (): Promise<void> => {
    const told = { onAnswer: (answer: RangeAnswer) => kept.push(answer), onProgress: () => {} };
    const slice = { url: new URL(server.url), offset: 0, length: into.length, into, stallTimeoutMs: 1000 };
    const { error } = await exchange({ ...slice, ...told });
    expect(error).toBeUndefined();
  };
  await once();
  const before = heapBytes();
  for (let n = 0; n < RANGES; n++) await once();
  const grownBytes = heapBytes() - before;
  pool.close();
  expect(kept).toHaveLength(RANGES + 1);
  expect(grownBytes).toBeLessThan((RANGES * RANGE_BYTES) / 4);
});
