import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { dirSync } from 'tmp';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import type { StorageClient, StoredPart } from '../../../../src/api/storage-client.ts';
import type { SentBytes } from '../../../../src/api/transport/sent-bytes.ts';
import { NO_PROXIES } from '../../../../src/lib/proxy-rules.ts';
import { Throttle } from '../../../../src/lib/throttle.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { Gate } from '../../../support/gate.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { type SlowReader, startSlowReader } from '../../../support/slow-reader.ts';
import { type StubHandler, type StubServer, startStub } from '../../../support/stub-server.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const part = randomBytes(1_500_000);
const md5 = createHash('md5').update(part).digest('hex');
const clock = new HastyClock();
const place = dirSync({ unsafeCleanup: true });
afterAll(() => place.removeCallback());
const certificate = await makeCertificate(place.name);
const network = new Network({ proxies: NO_PROXIES, authorities: [certificate.cert.toString()] });

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

describe.each([
  ['http', {}],
  ['https', { certificate }],
] as const)('putPart over %s', (_, secure) => {
  async function storeOf(
    handler: StubHandler,
    options: { readonly uploads?: number } = {},
  ): Promise<{ storage: StorageClient; stub: StubServer; target: Parameters<StorageClient['putPart']>[0] }> {
    const stub = await startStub(handler, secure);
    const storage = createStorageClient({ clock, network, limits: { stallTimeoutMs: 500 }, ...options });
    open.push({ [Symbol.asyncDispose]: () => storage.close() }, stub);
    const target = {
      url: `${stub.origin}/p/1?sig=x`,
      method: 'PUT',
      headers: { 'x-extra': '1' },
      expiresMs: undefined,
    };
    return { storage, stub, target };
  }

  it('sends the bytes with the headers of the link and answers the bare ETag, and that it is an MD5', async () => {
    const { storage, stub, target } = await storeOf((_, response) =>
      response.setHeader('ETag', `"${md5}"`).end(),
    );
    expect(await storage.putPart(target, part)).toEqual({ etag: md5, md5 });
    const [request] = stub.requests;
    expect(request?.body.equals(part)).toBe(true);
    expect(request?.headers['x-extra']).toBe('1');
    expect(request?.headers['content-type']).toBeUndefined();
  });

  it('sends as many at once as are asked for', async () => {
    const held: (() => void)[] = [];
    const hold: StubHandler = (_, response) =>
      void held.push(() => response.setHeader('ETag', '"empty"').end());
    const { storage, target } = await storeOf(hold, { uploads: 48 });
    const puts = Array.from({ length: 48 }, () => storage.putPart(target, new Uint8Array(0)));
    await waitUntil(() => held.length === 48);
    for (const answer of held) answer();
    await Promise.all(puts);
  });

  it('sends an empty last part', async () => {
    const { storage, stub, target } = await storeOf((_, response) =>
      response.setHeader('ETag', '"empty"').end(),
    );
    expect(await storage.putPart(target, new Uint8Array(0))).toEqual({ etag: 'empty', md5: undefined });
    expect(stub.requests[0]?.headers['content-length']).toBe('0');
  });

  it('does not take the ETag of an object under a managed key for an MD5', async () => {
    const etag = 'f'.repeat(32);
    const { storage, target } = await storeOf((_, response) =>
      response.setHeader('ETag', `"${etag}"`).setHeader('x-amz-server-side-encryption', 'aws:kms').end(),
    );
    expect(await storage.putPart(target, part)).toEqual({ etag, md5: undefined });
  });

  it('sends again after a reset and after 503, a bounded number of times', async () => {
    let count = 0;
    const { storage, target } = await storeOf((_, response) => {
      count += 1;
      if (count === 1) {
        // Node resets no TLS connection.
        if ('certificate' in secure) response.destroy();
        else response.socket?.resetAndDestroy();
      } else if (count === 3) {
        response.setHeader('ETag', `"${md5}"`).end();
      } else {
        response.writeHead(503).end();
      }
    });
    expect(await storage.putPart(target, part)).toEqual({ etag: md5, md5 });
    await expect(storage.putPart(target, part)).rejects.toMatchObject({ kind: 'failed', status: 503 });
    expect(count).toBeGreaterThan(3 + 5);
  });

  it('sends the bytes at the pace that is allowed, all parts together', async () => {
    const fakeClock = new FakeClock();
    const limit = new Throttle(160, fakeClock);
    const taken: number[] = [];
    const stub = await startStub((_, response) => response.setHeader('ETag', '"x"').end(), secure);
    const storage = createStorageClient({ clock, network, uploadLimit: limit });
    open.push({ [Symbol.asyncDispose]: () => storage.close() }, stub);
    const target = { url: `${stub.origin}/`, method: 'PUT', headers: {}, expiresMs: undefined };
    const sending = [part.subarray(0, 45), part.subarray(45, 100)].map((bytes) =>
      storage.putPart(target, bytes),
    );
    void Promise.all(sending).then(() => taken.push(fakeClock.now()));
    const startMs = fakeClock.now();
    const sent = async (): Promise<boolean> => {
      await fakeClock.advance(10);
      return taken.length > 0;
    };
    await waitUntil(sent, { everyMs: 1 });
    expect((taken[0] ?? 0) - startMs).toBeGreaterThan(400);
    expect(stub.requests.map(({ body }) => body.length).sort()).toEqual([45, 55]);
    expect(stub.requests.map(({ headers }) => headers['content-length']).sort()).toEqual(['45', '55']);
  });

  it('tells how much of a part has left, while the store does not read it', async () => {
    const size = 64 * 1024 * 1024;
    const read = new Gate();
    const slow = await startSlowReader(
      async (request) => {
        await read.opened;
        for await (const _ of request);
      },
      (response) => response.setHeader('ETag', '"x"').end(),
      secure,
    );
    const storage = createStorageClient({ clock, network });
    open.push({ [Symbol.asyncDispose]: () => storage.close() }, slow);
    let sent: SentBytes = () => 0;
    const target = { url: `${slow.origin}/`, method: 'PUT', headers: {}, expiresMs: undefined };
    const stored = storage.putPart(target, new Uint8Array(size), { onSending: (now) => (sent = now) });
    await waitUntil(() => sent() > 0);
    expect(sent()).toBeLessThan(size / 2);
    read.open();
    await waitUntil(() => sent() > size / 2);
    await stored;
  });

  it.each([
    [403, 'refused'],
    [507, 'failed'],
  ])('answers status %i as %s at once', async (status, kind) => {
    const { storage, stub, target } = await storeOf((_, response) => response.writeHead(status).end());
    await expect(storage.putPart(target, part)).rejects.toMatchObject({ kind, status });
    expect(stub.requests).toHaveLength(1);
  });
});

describe('putPart with little time', () => {
  const MIB = 1024 * 1024;

  async function slowStore(
    read: (request: IncomingMessage) => Promise<void>,
  ): Promise<{ put: () => Promise<StoredPart>; store: SlowReader }> {
    const store = await startSlowReader(read, (response) => response.setHeader('ETag', '"x"').end());
    const limits = { timeoutMs: 100, stallTimeoutMs: 100, answerTimeoutMs: 500 };
    const storage = createStorageClient({ clock, limits });
    open.push({ [Symbol.asyncDispose]: () => storage.close() }, store);
    const target = { url: `${store.origin}/`, method: 'PUT', headers: {}, expiresMs: undefined };
    return { put: () => storage.putPart(target, new Uint8Array(8 * MIB)), store };
  }

  it('waits for a store that takes longer, as long as it takes something', async () => {
    const { put, store } = await slowStore(async (request) => {
      for await (const _ of request) await delay(15);
    });
    const startMs = performance.now();
    await put();
    expect(performance.now() - startMs).toBeGreaterThan(1500);
    expect(store.requests()).toBe(1);
  });

  it('gives up one that takes nothing more', async () => {
    const { put } = await slowStore(() => new Promise(() => undefined));
    await expect(put()).rejects.toThrow('took none of what was sent');
  });

  it('waits longer for the answer, but not for ever', async () => {
    const { put, store } = await slowStore(async (request) => {
      for await (const _ of request);
      await delay(300);
    });
    await put();
    expect(store.requests()).toBe(1);
    const silent = await slowStore(async (request) => {
      for await (const _ of request);
      await new Promise(() => undefined);
    });
    await expect(silent.put()).rejects.toThrow('did not answer');
  });
});
