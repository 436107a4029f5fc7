/** Ranges over TLS, received on the event loop and by a thread of the addon: what a store and a network may do to them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { dirSync } from 'tmp';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { NO_PROXIES } from '../../../../src/lib/proxy-rules.ts';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { sampleBytes } from '../../../support/sample-bytes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const MIB = 1024 * 1024;
const object = sampleBytes(8 * MIB + 123);
const MIDWAY = 3 * MIB;
const place = dirSync({ unsafeCleanup: true });
const [certificate, stranger] = await Promise.all([makeCertificate(place.name), makeCertificate(place.name)]);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => place.removeCallback());

interface Asked {
  readonly socket: TLSSocket;
  /** Head of the right answer, and its bytes. */
  readonly head: string;
  readonly body: Buffer;
  /** How many requests came before. */
  readonly before: number;
}

const answerRight = ({ socket, head, body }: Asked): void => {
  socket.write(head);
  socket.write(body);
};

/** A server that writes bytes as a test says. */
async function listen(answer: (asked: Asked) => unknown, options: TlsOptions = {}) {
  const sockets = new Set<Socket>();
  let [connections, requests] = [0, 0];
  const server = createServer({ ...certificate, ...options }, (socket) => {
    let got = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
      if (!got.includes('\r\n\r\n')) return;
      const [, first = 0, last = 0] = (/bytes=(\d+)-(\d+)/.exec(got) ?? []).map(Number);
      got = '';
      const head = [
        'HTTP/1.1 206 Partial Content',
        `Content-Range: bytes ${first}-${last}/${object.length}`,
        `Content-Length: ${last - first + 1}`,
        'ETag: "v1"',
        '\r\n',
      ].join('\r\n');
      requests += 1;
      answer({ socket, head, body: object.subarray(first, last + 1), before: requests - 1 });
    });
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    connections: () => connections,
    requests: () => requests,
    present: ({ key, cert }: Certificate) => server.setSecureContext({ key, cert }),
  };
}

/** Of the right answer, half; then what a test does. */
function half({ socket, head, body }: Asked, then: () => void): void {
  socket.write(head);
  socket.write(body.subarray(0, MIDWAY), then);
}

describe.each([
  ['by a thread', true],
  ['on the event loop', false],
])('%s', (_, receivesApart) => {
  function client(port: number): { storage: StorageClient; url: string } {
    const network = new Network({ proxies: NO_PROXIES, authorities: [certificate.cert.toString()] });
    const limits = { timeoutMs: 2000, stallTimeoutMs: 500, connectTimeoutMs: 500 };
    const storage = createStorageClient({ clock: new HastyClock(), network, limits, receivesApart });
    ends.push(() => storage.close());
    return { storage, url: `https://127.0.0.1:${port}/object?sig=1` };
  }

  async function expectObject({ storage, url }: ReturnType<typeof client>): Promise<void> {
    const into = Buffer.alloc(object.length);
    let told = 0;
    const onProgress = (bytes: number): void => {
      expect(bytes).toBeGreaterThanOrEqual(told);
      expect(into.subarray(told, bytes).equals(object.subarray(told, bytes))).toBe(true);
      told = bytes;
    };
    await storage.getRange(url, { offset: 0, into, onProgress });
    expect(told).toBe(object.length);
  }

  it('brings ranges of any size, one after the other over one connection', async () => {
    const store = await listen(answerRight);
    const to = client(store.port);
    for (const [offset, length] of [
      [0, 1],
      [5, 16_384],
      [7, 16_385],
      [MIB, 4 * MIB],
      [0, object.length],
    ] as const) {
      const into = Buffer.alloc(length);
      await to.storage.getRange(to.url, { offset, into });
      expect(into.equals(object.subarray(offset, offset + length))).toBe(true);
    }
    expect(store.connections()).toBe(1);
  });

  /** Server and client are in this process; Node.js has no socket of a connection that the thread has. */
  it('leaves the event loop alone, or does not', async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
    const before = sockets();
    const store = await listen((asked) => half(asked, () => undefined));
    const given = new AbortController();
    const { storage, url } = client(store.port);
    let told = 0;
    const onProgress = (bytes: number): void => {
      told = bytes;
    };
    const reading = storage.getRange(
      url,
      { offset: 0, into: Buffer.alloc(object.length), onProgress },
      given.signal,
    );
    await waitUntil(() => told === MIDWAY);
    expect(sockets() - before).toBe(receivesApart ? 0 : 1);
    given.abort(new Error('seen'));
    await expect(reading).rejects.toThrow('seen');
  });

  it.each<[string, (asked: Asked, sockets: Set<Socket>) => void]>([
    ['resets', (_asked, sockets) => sockets.forEach((socket) => void socket.resetAndDestroy())],
    ['ends the body', ({ socket }) => void socket.end()],
    [
      'ends the connection without a word',
      (_asked, sockets) => sockets.forEach((socket) => void socket.end()),
    ],
    ['stalls', () => undefined],
  ])('resumes on another connection when the store %s midway', async (_what, fault) => {
    const store = await listen((asked) => {
      if (asked.before > 0) answerRight(asked);
      else half(asked, () => setTimeout(() => fault(asked, store.sockets), 20));
    });
    await expectObject(client(store.port));
    expect(store.requests()).toBe(2);
    expect(store.connections()).toBe(2);
  });

  it('takes nothing of what was changed on its way, and resumes', async () => {
    const store = await listen(answerRight);
    const damaging = createTcpServer((socket) => {
      const onward = connect(store.port, '127.0.0.1');
      let passed = 0;
      const mayDamage = store.connections() === 0;
      onward.on('data', (chunk) => {
        const at = MIDWAY - passed;
        passed += chunk.length;
        if (mayDamage && at >= 0 && at < chunk.length) chunk[at] = (chunk[at] ?? 0) ^ 4;
        socket.write(chunk);
      });
      socket.on('data', (chunk) => onward.write(chunk));
      for (const [each, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        each.on('error', () => undefined).on('close', () => other.destroy());
      }
    });
    damaging.listen(0, '127.0.0.1');
    await once(damaging, 'listening');
    ends.push(() => damaging.close());
    await expectObject(client((damaging.address() as AddressInfo).port));
    expect(store.requests()).toBe(2);
  });

  it('refuses an answer that is longer than the range, and asks again', async () => {
    const store = await listen((asked) => {
      answerRight(asked);
      if (asked.before === 0) asked.socket.write('surplus');
    });
    await expectObject(client(store.port));
  });

  it('speaks TLS 1.2 with a store that knows no later one, which may begin its handshake anew', async () => {
    const store = await listen(
      (asked) =>
        half(asked, () => {
          if (asked.before === 0) asked.socket.renegotiate({}, () => undefined);
          asked.socket.write(asked.body.subarray(MIDWAY));
        }),
      { maxVersion: 'TLSv1.2' },
    );
    const to = client(store.port);
    await expectObject(to);
    await expectObject(to);
    // The first connection of a thread is of no use.
    expect(store.connections()).toBe(receivesApart ? 2 : 1);
  });

  it.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'speaks %s',
    async (ciphers) => {
      const store = await listen(answerRight, { ciphers });
      await expectObject(client(store.port));
      expect(store.connections()).toBe(1);
    },
  );

  it('trusts no other certificate that the store has later', async () => {
    const store = await listen(answerRight);
    const to = client(store.port);
    await expectObject(to);
    store.present(stranger);
    for (const socket of store.sockets) socket.destroy();
    const asked = store.requests();
    const reading = to.storage.getRange(to.url, { offset: 0, into: Buffer.alloc(10) });
    await expect(reading).rejects.toThrow(/certificate of 127\.0\.0\.1 comes from no authority/);
    expect(store.requests()).toBe(asked);
  });

  it('tells of a store that half-closes the connection and is silent', async () => {
    const store = await listen(({ socket }) => void socket.end());
    const { storage, url } = client(store.port);
    const reading = storage.getRange(url, { offset: 0, into: Buffer.alloc(10) });
    await expect(reading).rejects.toThrow(
      'no answer from the store 127.0.0.1: the store closed the connection',
    );
  });

  it('touches the buffer no more once a range is given up', async () => {
    const store = await listen(answerRight);
    const { storage, url } = client(store.port);
    for (let round = 0; round < 5; round += 1) {
      const given = new AbortController();
      const into = Buffer.alloc(object.length);
      const onProgress = (): void => given.abort(new Error('given up'));
      await expect(storage.getRange(url, { offset: 0, into, onProgress }, given.signal)).rejects.toThrow(
        'given up',
      );
      into.fill(0xee);
      await expectObject({ storage, url });
      expect(into.every((byte) => byte === 0xee)).toBe(true);
    }
  });
});
