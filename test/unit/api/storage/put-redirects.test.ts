/** Parts for stores that redirect. */
import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import type { StorageClient, StoredPart } from '../../../../src/api/storage-client.ts';
import { Throttle } from '../../../../src/lib/throttle.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { type StubHandler, type StubServer, startStub } from '../../../support/stub-server.ts';

/** More than both ends of a connection hold. */
const part = randomBytes(16 * 1024 * 1024);
const md5 = createHash('md5').update(part).digest('hex');
const clock = new HastyClock();

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

async function serve(handler: StubHandler): Promise<StubServer> {
  const stub = await startStub(handler);
  open.push(stub);
  return stub;
}

const store: StubHandler = ({ body }, response) => {
  const etag = createHash('md5').update(body).digest('hex');
  response.setHeader('ETag', `"${etag}"`).end();
};

function put(url: string, options: { uploadLimit?: Throttle; headers?: Record<string, string> } = {}) {
  const storage: StorageClient = createStorageClient({ clock, uploadLimit: options.uploadLimit });
  open.push({ [Symbol.asyncDispose]: () => storage.close() });
  const target = { url, method: 'PUT', headers: options.headers ?? {}, expiresMs: undefined };
  return storage.putPart(target, part);
}

/** Tells where to go as soon as the head of a request is there, reads no more of it, and resets the connection. */
async function serveHastily(
  location: string,
): Promise<{ readonly origin: string; readonly requests: () => number }> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests += 1;
      socket.pause();
      const head = `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
      socket.write(head, () => socket.resetAndDestroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests: () => requests };
}

describe('a redirected part', () => {
  it.each([301, 302, 307, 308])(
    'is sent again, whole, to the address that status %i tells',
    async (status) => {
      const there = await serve(store);
      const first = await serve((_, response) =>
        response.writeHead(status, { Location: `${there.origin}/there?sig=y` }).end(),
      );
      expect(await put(`${first.origin}/p/1?sig=x`, { headers: { 'x-extra': '1' } })).toEqual({
        etag: md5,
        md5,
      });
      expect(there.requests).toHaveLength(1);
      expect(there.requests[0]).toMatchObject({
        method: 'PUT',
        url: '/there?sig=y',
        headers: { 'x-extra': '1' },
      });
      expect(there.requests[0]?.body.equals(part)).toBe(true);
    },
  );

  it('is, when the store waits for none of its bytes and resets the connection', async () => {
    const there = await serve(store);
    const first = await serveHastily(`${there.origin}/there`);
    const sent: StoredPart = await put(`${first.origin}/p/1?sig=x`);
    expect(sent).toEqual({ etag: md5, md5 });
    expect(first.requests()).toBe(1);
  });

  it('is, when its bytes are paced', async () => {
    const there = await serve(store);
    const first = await serveHastily(`${there.origin}/there`);
    const uploadLimit = new Throttle(1024 * 1024, clock);
    expect(await put(`${first.origin}/p/1?sig=x`, { uploadLimit })).toEqual({ etag: md5, md5 });
    expect(there.requests[0]?.headers['content-length']).toBe(String(part.length));
  });

  it('takes no header to another host that is for one host', async () => {
    const there = await serve((request, response) =>
      request.url === '/there'
        ? response.writeHead(307, { Location: '/here' }).end()
        : store(request, response),
    );
    const first = await serve((_, response) =>
      response.writeHead(307, { Location: `${there.origin}/there` }).end(),
    );
    const { host } = new URL(first.origin);
    await put(`${first.origin}/p/1`, { headers: { Authorization: 'secret', host } });
    expect(first.requests[0]?.headers).toMatchObject({ authorization: 'secret', host });
    for (const { headers } of there.requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers.host).toBe(new URL(there.origin).host);
    }
  });

  it('is refused by the address it led to as by the link itself', async () => {
    const there = await serve((_, response) => response.writeHead(403).end());
    const first = await serve((_, response) => response.writeHead(307, { Location: there.origin }).end());
    await expect(put(first.origin)).rejects.toMatchObject({ kind: 'refused', status: 403 });
  });

  it('fails at once when it is redirected on and on', async () => {
    let count = 0;
    const first = await serve((_, response) => {
      count += 1;
      response.writeHead(307, { Location: `/hop/${count}?sig=secret` }).end();
    });
    const error: unknown = await put(first.origin).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'failed', status: 307 });
    expect(String(error)).toContain(`more than 5 times: ${new URL(first.origin).host}`);
    expect(String(error)).not.toContain('secret');
    expect(count).toBe(6);
  });
});
