/** Ranges of stores that redirect, over each of the ways that a range may go. */
import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { getRangeOver } from '../../../../src/api/storage/get-range.ts';
import type { RangeExchange } from '../../../../src/api/storage/range-exchange.ts';
import { redirectedRangeExchange } from '../../../../src/api/storage/redirected-range-exchange.ts';
import { socketRangeExchange } from '../../../../src/api/storage/socket-range-exchange.ts';
import { receivingConnections } from '../../../../src/api/storage/store-connections.ts';
import { undiciRangeExchange } from '../../../../src/api/storage/undici-range-exchange.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import {
  type RawRequest,
  type RawServer,
  rangeBytes,
  rangeHead,
  startRawServer,
} from '../../../support/raw-http-server.ts';

const object = randomBytes(100_000);

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

/** A server that answers with what `answer` makes of the request and how many came before. */
async function serve(answer: (request: RawRequest, before: number) => string): Promise<RawServer> {
  const server = await startRawServer((socket, request, before) => {
    const head = answer(request, before);
    socket.write(head);
    if (head.startsWith('HTTP/1.1 206')) socket.write(rangeBytes(request, object));
  });
  open.push(server);
  return server;
}

function redirect(location: string, status = 307): string {
  return `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
}

const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n';
const right = (request: RawRequest): string => rangeHead(request, object);

function overSockets(): RangeExchange {
  const pool = receivingConnections({ connections: 4, connectTimeoutMs: 1000 });
  open.push({ [Symbol.asyncDispose]: async () => pool.close() });
  return socketRangeExchange(pool, async ({ url }) => {
    throw new Error(`left to the whole HTTP client: ${url}`);
  });
}

function overUndici(): RangeExchange {
  const agent = new Agent();
  open.push({ [Symbol.asyncDispose]: () => agent.destroy() });
  return undiciRangeExchange(agent);
}

describe.each([
  { over: 'sockets', exchangeOf: overSockets },
  { over: 'undici', exchangeOf: overUndici },
])('a redirected range over $over', ({ exchangeOf }) => {
  function client(): StorageClient['getRange'] {
    const limits = { clock: new HastyClock(), timeoutMs: 60_000, stallTimeoutMs: 500 };
    return getRangeOver(redirectedRangeExchange(exchangeOf()), limits);
  }

  async function expectRight(getRange: StorageClient['getRange'], url: string, offset = 0): Promise<void> {
    const into = Buffer.alloc(1000);
    await getRange(url, { offset, into });
    expect(into.equals(object.subarray(offset, offset + 1000))).toBe(true);
  }

  async function failureOf(url: string): Promise<unknown> {
    return client()(url, { offset: 0, into: Buffer.alloc(1000) }).catch((error: unknown) => error);
  }

  it.each([301, 302, 307, 308])('is asked for at the address that status %i tells', async (status) => {
    const there = await serve(right);
    const store = await serve(() => redirect(there.url, status));
    await expectRight(client(), store.url, 5000);
    expect(there.requests).toEqual([{ requestLine: 'GET /object?sig=1 HTTP/1.1', range: [5000, 5999] }]);
  });

  it('follows one that comes in chunks with a page, as those of Amazon S3', async () => {
    const there = await serve(right);
    const chunks = 'Transfer-Encoding: chunked\r\n\r\n4\r\noops\r\n0\r\n\r\n';
    const store = await serve(() => `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${there.url}\r\n${chunks}`);
    await expectRight(client(), store.url);
    expect(store.requests).toHaveLength(1);
  });

  it('resolves an address that is relative', async () => {
    const store = await serve((request, before) =>
      before === 0 ? redirect('/there?sig=2') : right(request),
    );
    await expectRight(client(), store.url);
    expect(store.requests[1]?.requestLine).toBe('GET /there?sig=2 HTTP/1.1');
  });

  it('is redirected once: further ranges of the link go where it led to', async () => {
    const there = await serve(right);
    const store = await serve(() => redirect(there.url));
    const getRange = client();
    for (let offset = 0; offset < 10_000; offset += 1000) await expectRight(getRange, store.url, offset);
    expect(store.requests).toHaveLength(1);
    await expectRight(getRange, `${store.url}&of=another-link`);
    expect(store.requests).toHaveLength(2);
  });

  it.each(['400 Bad Request', '403 Forbidden', '404 Not Found', '410 Gone', '416 Range Not Satisfiable'])(
    'begins at the link again when the address it led to answers %s',
    async (status) => {
      const refusal = `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;
      const old = await serve((request, before) => (before === 0 ? right(request) : refusal));
      const now = await serve(right);
      const store = await serve((_, before) => redirect(before === 0 ? old.url : now.url));
      const getRange = client();
      for (const offset of [0, 1000, 2000]) await expectRight(getRange, store.url, offset);
      expect(store.requests).toHaveLength(2);
      expect(now.requests.map(({ range }) => range?.[0])).toEqual([1000, 2000]);
    },
  );

  it('fails with what the link itself leads to when that is no better', async () => {
    const there = await serve((request, before) => (before === 0 ? right(request) : FORBIDDEN));
    const store = await serve(() => redirect(there.url));
    const getRange = client();
    await expectRight(getRange, store.url);
    await expect(getRange(store.url, { offset: 0, into: Buffer.alloc(10) })).rejects.toMatchObject({
      kind: 'refused',
      status: 403,
    });
    expect([store.requests.length, there.requests.length]).toEqual([2, 3]);
  });

  it('goes on where the link led to last, be it the link itself', async () => {
    let moved = false;
    const store = await serve((request) => (moved ? right(request) : redirect(there.url)));
    const there = await serve((request) => (moved ? redirect(store.url) : right(request)));
    const getRange = client();
    await expectRight(getRange, store.url);
    moved = true;
    for (const offset of [1000, 2000]) await expectRight(getRange, store.url, offset);
    expect(there.requests.map(({ range }) => range?.[0])).toEqual([0, 1000]);
  });

  it('is followed five times', async () => {
    const store = await serve((request, before) =>
      before < 5 ? redirect(`/hop/${before}`) : right(request),
    );
    await expectRight(client(), store.url);
    expect(store.requests).toHaveLength(6);
  });

  it.each([
    ['to no address', 'HTTP/1.1 307 Elsewhere\r\nContent-Length: 0\r\n\r\n'],
    ['to an address that cannot be used', redirect('ftp://secret@ftp.example/?sig=secret')],
    ['to an address that cannot be used', redirect('http://[secret/')],
    ['in a circle', redirect('?sig=1')],
  ])('fails at once when it leads %s', async (what, answer) => {
    const store = await serve(() => answer);
    const error = await failureOf(store.url);
    expect(error).toMatchObject({ kind: 'failed', status: 307 });
    expect(String(error)).toContain(what);
    expect(String(error)).toContain(new URL(store.url).host);
    expect(String(error)).not.toMatch(/sig=|secret/);
    expect(store.requests).toHaveLength(1);
  });

  it('fails at once when it is redirected on and on', async () => {
    const store = await serve((_, before) => redirect(`/hop/${before}?sig=1`));
    const error = await failureOf(store.url);
    expect(error).toMatchObject({ kind: 'failed', status: 307 });
    expect(String(error)).toMatch(/more than 5 times: 127\.0\.0\.1:\d+/);
    expect(String(error)).not.toContain('sig=');
    expect(store.requests).toHaveLength(6);
  });
});
