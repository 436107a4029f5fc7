import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deferred } from '../../../../src/lib/deferred.ts';
import { sendLocalBytes } from '../../../../src/service/http/send-local-bytes.ts';
import { PIECE_BYTES } from '../../../../src/service/storage/objects/piece-buffers.ts';

let server: Server;
let answer: (response: ServerResponse) => void = () => undefined;
beforeAll(async () => {
  server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The bytes that a caller gets while `send` answers it, and how that ended. */
async function exchange(
  send: (response: ServerResponse) => Promise<void>,
  take: (answered: IncomingMessage) => Promise<unknown>,
): Promise<{ readonly taken: unknown; readonly sending: Promise<void> }> {
  const { port } = server.address() as AddressInfo;
  let sending: Promise<void> | undefined;
  answer = (response) => {
    sending = send(response);
    sending.catch(() => response.destroy());
  };
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).once('error', reject);
  });
  const taken = await answered.then(take).catch((error: Error) => error);
  return { taken, sending: sending ?? Promise.reject(new Error('nobody asked')) };
}

/** Byte `n` of the content is `n % 251`. */
function readFrom(sizeBytes: number, memory = new Set<ArrayBufferLike>()) {
  return async (into: Uint8Array, position: number): Promise<number> => {
    memory.add(into.buffer);
    const length = Math.max(0, Math.min(into.length, sizeBytes - position));
    for (let at = 0; at < length; at += 1) into[at] = (position + at) % 251;
    return length;
  };
}

test('the range arrives whole, in memory that is used again', async () => {
  const memory = new Set<ArrayBufferLike>();
  const size = 20 * PIECE_BYTES + 7;
  const range = { first: 5, last: size - 2 };
  const { taken, sending } = await exchange(
    (response) => sendLocalBytes(response, { readAt: readFrom(size, memory) }, range),
    buffer,
  );
  await sending;
  const expected = Buffer.from(Array.from({ length: size - 6 }, (_, at) => (at + 5) % 251));
  expect((taken as Buffer).equals(expected)).toBe(true);
  expect(memory.size).toBeLessThanOrEqual(3);
});

test('content that ends too early fails, and the caller sees that something is missing', async () => {
  const { taken, sending } = await exchange((response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    return sendLocalBytes(response, { readAt: readFrom(60) }, { first: 0, last: 99 });
  }, buffer);
  await expect(sending).rejects.toThrow('the content ends at byte 60');
  expect(taken).toMatchObject({ code: 'ECONNRESET' });
});

test('a caller that hangs up ends it, and is no failure', async () => {
  const gone = deferred();
  let asked = 0;
  const endless = async (into: Uint8Array): Promise<number> => {
    if (++asked === 3) await gone.promise;
    return into.length;
  };
  const { sending } = await exchange(
    (response) => {
      response.once('close', () => gone.resolve());
      return sendLocalBytes(response, { readAt: endless }, { first: 0, last: Number.MAX_SAFE_INTEGER });
    },
    async (answered) => answered.destroy(),
  );
  await sending;
  expect(asked).toBe(3);
});
