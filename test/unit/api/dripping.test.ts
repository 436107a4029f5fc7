/** Answers that come a byte at a time: never silent, and never there. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/create-api.ts';
import { createStorageClient } from '../../../src/api/create-storage-client.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { startRawServer } from '../../support/raw-http-server.ts';

const LIMIT_MS = 1000;
const DRIP_MS = 50;
/** More than the machine makes of one, and less than two in a row. */
const IN_TIME_MS = 1.9 * LIMIT_MS;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text.charAt(at++) || ' '), DRIP_MS);
  ends.push(() => clearInterval(timer));
}

/** Answers each request, whose body may be long, with these bytes. */
async function drippingServer(answer: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.socket && drip(response.socket, answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failsAfterMs(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await expect(work).rejects.toThrow();
  return performance.now() - began;
}

const BODY = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{';

describe('an answer that drips a byte at a time is given up when the time is over', () => {
  it.each([
    ['its body', BODY],
    ['its head', BODY.replace('Content-Type', `X-Long: ${'x'.repeat(1000)}\r\nContent-Type`)],
  ])('of the API: %s', async (part, answer) => {
    const dripping = part === 'its head' ? answer : answer.slice(-1);
    const { url } = await rawServer((socket) => {
      if (part === 'its body') socket.write(answer.slice(0, -1));
      drip(socket, dripping);
    });
    const endpoint = `${new URL(url).origin}/v2`;
    const api = createApi({ endpoint, token: 't', clock: systemClock, limits: { timeoutMs: LIMIT_MS } });
    ends.push(() => api.close());
    expect(await failsAfterMs(api.whoAmI())).toBeLessThan(IN_TIME_MS);
  });

  it('of the API, to a long request', async () => {
    const endpoint = `${await drippingServer(BODY)}/v2`;
    const api = createApi({ endpoint, token: 't', clock: systemClock, limits: { timeoutMs: LIMIT_MS } });
    ends.push(() => api.close());
    const target = { parent: 'p', name: 'n', overwrite: true };
    const sent = api.uploads.inline(target, Buffer.alloc(1024 * 1024));
    expect(await failsAfterMs(sent)).toBeLessThan(IN_TIME_MS);
  });

  it('of the store, to a range: its head', async () => {
    const { url } = await rawServer((socket) => drip(socket, BODY));
    const storage = createStorageClient({ clock: systemClock, limits: { timeoutMs: LIMIT_MS } });
    ends.push(() => storage.close());
    const range = storage.getRange(url, { offset: 0, into: Buffer.alloc(10) });
    expect(await failsAfterMs(range)).toBeLessThan(IN_TIME_MS);
  });

  it('of the store, to a part', async () => {
    const url = await drippingServer(BODY);
    const storage = createStorageClient({ clock: systemClock, limits: { timeoutMs: LIMIT_MS } });
    ends.push(() => storage.close());
    const target = { url: `${url}/part`, method: 'PUT' as const, headers: {}, expiresMs: undefined };
    expect(await failsAfterMs(storage.putPart(target, Buffer.alloc(1024 * 1024)))).toBeLessThan(IN_TIME_MS);
  });
});

async function rawServer(answer: (socket: Socket) => void) {
  const server = await startRawServer(answer);
  ends.push(() => server[Symbol.asyncDispose]());
  return server;
}
