import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import {
  type RawRequest,
  type RawServer,
  rangeBytes,
  rangeHead,
  startRawServer,
} from '../../../support/raw-http-server.ts';
import { receiveQueueBytes } from '../../../support/receive-queue.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const object = randomBytes(300_000);
const clock = new HastyClock();

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

async function storeOf(
  answer: (socket: Socket, request: RawRequest, before: number) => void,
): Promise<{ storage: StorageClient; server: RawServer }> {
  const server = await startRawServer(answer);
  const storage = createStorageClient({ clock, limits: { stallTimeoutMs: 300 } });
  open.push({ [Symbol.asyncDispose]: () => storage.close() }, server);
  return { storage, server };
}

function answerRight(socket: Socket, request: RawRequest): void {
  socket.write(rangeHead(request, object));
  socket.write(rangeBytes(request, object));
}

function answerStatus(socket: Socket, line: string): void {
  socket.write(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`);
}

/** An answer of one chunk, and what ends it. */
function inChunks(
  request: RawRequest,
  bytes: Uint8Array,
  { headers = [], end = '0\r\n\r\n' }: { readonly headers?: readonly string[]; readonly end?: string } = {},
): Buffer {
  const whole = rangeHead(request, object, headers);
  const head = whole.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  const size = `${bytes.length.toString(16)}\r\n`;
  return Buffer.concat([Buffer.from(head + size), bytes, Buffer.from(`\r\n${end}`)]);
}

describe('getRange', () => {
  it('puts the bytes into the given buffer and answers the version', async () => {
    const { storage, server } = await storeOf(answerRight);
    const into = Buffer.alloc(200_000);
    const version = await storage.getRange(server.url, { offset: 50_000, into });
    expect(version).toEqual({ etag: 'v1', objectSizeBytes: 300_000 });
    expect(into.equals(object.subarray(50_000, 250_000))).toBe(true);
    expect(server.requests[0]?.requestLine).toBe('GET /object?sig=1 HTTP/1.1');
  });

  it('uses its connections again', async () => {
    const { storage, server } = await storeOf(answerRight);
    for (let offset = 0; offset < 10_000; offset += 1000) {
      await storage.getRange(server.url, { offset, into: Buffer.alloc(1000) });
    }
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('receives large bodies to their last byte, one after the other', async () => {
    const large = randomBytes(4 * 1024 * 1024);
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, large));
      socket.write(rangeBytes(request, large));
    });
    for (const offset of [0, 12_345]) {
      const into = Buffer.alloc(large.length - offset);
      await storage.getRange(server.url, { offset, into });
      expect(into.equals(large.subarray(offset))).toBe(true);
    }
    expect(server.requests).toHaveLength(2);
  });

  it('has room for most of a large range before it reads any of it', async () => {
    const large = randomBytes(4 * 1024 * 1024);
    let queued = 0;
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, large));
      socket.write(large);
      // The reader is in this process, and has had no turn yet.
      queued = receiveQueueBytes({ port: socket.remotePort ?? 0, peerPort: socket.localPort ?? 0 });
    });
    await storage.getRange(server.url, { offset: 0, into: Buffer.alloc(large.length) });
    expect(queued).toBeGreaterThan(1024 * 1024);
  });

  it('takes a fast body by the piece: what is less waits for the rest of one', async () => {
    const large = randomBytes(16 * 1024 * 1024);
    const asked = deferred<Socket>();
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, large), () => asked.resolve(socket));
    });
    const into = Buffer.alloc(large.length);
    let received = 0;
    const done = storage.getRange(server.url, {
      offset: 0,
      into,
      onProgress: (bytes) => {
        received = bytes;
      },
    });
    const socket = await asked.promise;
    let sent = 0;
    // Over the loopback, what was sent is there when `write` has called back.
    while (received === sent && sent < large.length / 2) {
      const end = sent + 100_000;
      await new Promise((resolve) => socket.write(large.subarray(sent, end), resolve));
      sent = end;
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    }
    expect(received).toBeLessThan(sent);
    socket.write(large.subarray(sent));
    await done;
    expect(into.equals(large)).toBe(true);
  });

  it('sends its request again when the store closes a kept connection at that moment', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before === 1) socket.destroy();
      else answerRight(socket, request);
    });
    for (const offset of [0, 1000]) {
      const into = Buffer.alloc(1000);
      await storage.getRange(server.url, { offset, into });
      expect(into.equals(object.subarray(offset, offset + 1000))).toBe(true);
    }
    expect(server.connections()).toBe(2);
  });

  it.each([
    ['to its end', '0\r\n\r\n'],
    ['whose end is lost', ''],
  ])('reads an answer in chunks, which takes a whole HTTP client: %s', async (_, end) => {
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(inChunks(request, rangeBytes(request, object), { end }));
      if (end === '') socket.end();
    });
    const into = Buffer.alloc(5000);
    await storage.getRange(server.url, { offset: 100, into });
    expect(into.equals(object.subarray(100, 5100))).toBe(true);
    // Over sockets, then by the whole client.
    expect(server.requests.map(({ range }) => range)).toEqual([
      [100, 5099],
      [100, 5099],
    ]);
  });

  describe('of what is encoded on its way', () => {
    const encoded = (request: RawRequest): Buffer =>
      inChunks(request, gzipSync(rangeBytes(request, object)).subarray(0, 500), {
        headers: ['Content-Encoding: gzip'],
      });

    it('takes no byte, and asks again', async () => {
      const { storage, server } = await storeOf((socket, request, before) =>
        before > 1 ? answerRight(socket, request) : socket.write(encoded(request)),
      );
      const into = Buffer.alloc(1000);
      await storage.getRange(server.url, { offset: 100, into });
      expect(into.equals(object.subarray(100, 1100))).toBe(true);
    });

    it('says so when a store answers in no other way', async () => {
      const { storage, server } = await storeOf((socket, request) => socket.write(encoded(request)));
      const into = Buffer.alloc(1000);
      const told: number[] = [];
      const onProgress = (bytes: number): void => void told.push(bytes);
      await expect(storage.getRange(server.url, { offset: 0, into, onProgress })).rejects.toMatchObject({
        kind: 'failed',
        status: 206,
        message: 'the range was encoded on its way (gzip)',
      });
      expect(told).toEqual([]);
      // Over sockets, then three times by the whole client.
      expect(server.requests).toHaveLength(4);
    });
  });

  it('takes a range of an object that is kept encoded as it is', async () => {
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, object, ['Content-Encoding: gzip']));
      socket.write(rangeBytes(request, object));
    });
    const into = Buffer.alloc(1000);
    await storage.getRange(server.url, { offset: 100, into });
    expect(into.equals(object.subarray(100, 1100))).toBe(true);
  });

  it.each([
    ['plainly', false],
    ['in chunks', true],
  ])('takes no byte of an answer that is longer than the range: %s', async (_, chunked) => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before > 1) return answerRight(socket, request);
      const bytes = Buffer.concat([rangeBytes(request, object), Buffer.from('surplus')]);
      const plain = Buffer.concat([Buffer.from(rangeHead(request, object)), bytes]);
      return socket.write(chunked ? inChunks(request, bytes) : plain);
    });
    const into = Buffer.alloc(1000);
    for (const offset of [0, 1000, 2000]) {
      await storage.getRange(server.url, { offset, into });
      expect(into.equals(object.subarray(offset, offset + 1000))).toBe(true);
    }
    expect(server.requests.length).toBeGreaterThan(3);
    expect(server.connections()).toBeGreaterThan(1);
  });

  it('takes no more connections than allowed', async () => {
    const { storage, server } = await storeOf(answerRight);
    const reads = Array.from({ length: 100 }, async (_, index) => {
      const into = Buffer.alloc(1000);
      await storage.getRange(server.url, { offset: index * 1000, into });
      return into.equals(object.subarray(index * 1000, (index + 1) * 1000));
    });
    expect(await Promise.all(reads)).not.toContain(false);
    expect(server.connections()).toBeLessThanOrEqual(56);
  });

  it('resumes at the byte where the connection was reset', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before > 0) return answerRight(socket, request);
      socket.write(rangeHead(request, object));
      socket.write(rangeBytes(request, object).subarray(0, 70_000), () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      );
    });
    const into = Buffer.alloc(200_000);
    await storage.getRange(server.url, { offset: 10_000, into });
    expect(into.equals(object.subarray(10_000, 210_000))).toBe(true);
    const first = server.requests[1]?.range?.[0] ?? 0;
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThanOrEqual(80_000);
  });

  it('resumes after a body that ends early', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before > 0) return answerRight(socket, request);
      socket.end(
        Buffer.concat([
          Buffer.from(rangeHead(request, object)),
          rangeBytes(request, object).subarray(0, 500),
        ]),
      );
    });
    const into = Buffer.alloc(1000);
    await storage.getRange(server.url, { offset: 0, into });
    expect(into.equals(object.subarray(0, 1000))).toBe(true);
    expect(server.requests[1]?.range).toEqual([500, 999]);
  });

  it('gives up a connection that stalls and resumes on another', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before > 0) return answerRight(socket, request);
      socket.write(rangeHead(request, object));
      socket.write(rangeBytes(request, object).subarray(0, 500));
    });
    const into = Buffer.alloc(1000);
    await storage.getRange(server.url, { offset: 0, into });
    expect(into.equals(object.subarray(0, 1000))).toBe(true);
    expect(server.connections()).toBe(2);
  });

  it.each([
    { way: 'plainly', headOf: (head: string) => head, pieceOf: (byte: Buffer) => byte, slowAnswers: 1 },
    {
      way: 'in chunks',
      headOf: (head: string) => head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked'),
      pieceOf: (byte: Buffer) => Buffer.concat([Buffer.from('1\r\n'), byte, Buffer.from('\r\n')]),
      // A store that was seen to answer in chunks is asked by another client from then on: a second request.
      slowAnswers: 2,
    },
  ])(
    'gives up a connection that brings a byte now and then, $way, and resumes on another',
    async ({ headOf, pieceOf, slowAnswers }) => {
      const { storage, server } = await storeOf((socket, request, before) => {
        if (before >= slowAnswers) return answerRight(socket, request);
        socket.write(headOf(rangeHead(request, object)));
        const bytes = rangeBytes(request, object).values();
        const sending = setInterval(() => socket.write(pieceOf(Buffer.from([bytes.next().value ?? 0]))), 10);
        socket.on('close', () => clearInterval(sending)).on('error', () => undefined);
      });
      const into = Buffer.alloc(1000);
      const onProgress = (): void => void clock.sleep(1000);
      await storage.getRange(server.url, { offset: 0, into, onProgress });
      expect(into.equals(object.subarray(0, 1000))).toBe(true);
      const resumedAt = server.requests.at(-1)?.range?.[0];
      expect(resumedAt).toBeGreaterThan(0);
      expect(resumedAt).toBeLessThan(10);
    },
  );

  it.each([
    [
      'has no Content-Range',
      /^Content-Range: .*\r\n/m,
      '',
      'the store answered a range without Content-Range',
    ],
    ['has one of no use', /^(Content-Range: ).*/m, '$1pages 1-2/3', 'unusable Content-Range pages 1-2/3'],
    [
      'has one of another length than its body',
      /^(Content-Length: ).*/m,
      '$17',
      'the store sends 7 bytes for the range bytes 5-14/300000',
    ],
  ])('says what is wrong with an answer that %s', async (_, header, replacement, message) => {
    const { storage, server } = await storeOf((socket, request) =>
      socket.write(rangeHead(request, object).replace(header, replacement)),
    );
    const reading = storage.getRange(server.url, { offset: 5, into: Buffer.alloc(10) });
    await expect(reading).rejects.toMatchObject({ kind: 'failed', status: 206, message });
  });

  it('shows an answer to who asks before a byte of it counts, and ends by what that throws', async () => {
    const { storage, server } = await storeOf(answerRight);
    let progress = 0;
    const reading = storage.getRange(server.url, {
      offset: 0,
      into: Buffer.alloc(100_000),
      onAnswer: ({ etag }) => {
        throw new Error(`no ${etag} here`);
      },
      onProgress: (bytes) => {
        progress = bytes;
      },
    });
    await expect(reading).rejects.toThrow('no v1 here');
    expect(progress).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it('tells how far it came, over a reset too, and never takes back', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before > 0) return answerRight(socket, request);
      socket.write(rangeHead(request, object));
      socket.write(rangeBytes(request, object).subarray(0, 70_000), () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      );
    });
    const told: number[] = [];
    const into = Buffer.alloc(200_000);
    const onProgress = (bytes: number): void => {
      expect(into.subarray(0, bytes).equals(object.subarray(0, bytes))).toBe(true);
      told.push(bytes);
    };
    await storage.getRange(server.url, { offset: 0, into, onProgress });
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBe(200_000);
  });

  it.each([
    ['403 Forbidden', 'refused'],
    ['404 Not Found', 'missing'],
    ['412 Precondition Failed', 'changed'],
    ['418 Teapot', 'failed'],
  ])('answers %s as %s at once', async (line, kind) => {
    const { storage, server } = await storeOf((socket) => answerStatus(socket, line));
    const reading = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(10) });
    await expect(reading).rejects.toMatchObject({ kind, status: Number(line.slice(0, 3)) });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['the store is overloaded', '503 Slow Down'],
    ['a gateway does not reach the store', '522 Connection Timed Out'],
  ])('tries again when %s, and gives up at last', async (_, line) => {
    const { storage, server } = await storeOf((socket, request, before) =>
      before === 2 ? answerRight(socket, request) : answerStatus(socket, line),
    );
    const into = Buffer.alloc(10);
    await storage.getRange(server.url, { offset: 0, into });
    expect(into.equals(object.subarray(0, 10))).toBe(true);
    const never = storage.getRange(server.url, { offset: 0, into });
    await expect(never).rejects.toMatchObject({ kind: 'failed', status: Number(line.slice(0, 3)) });
  });

  it('ends at once when its signal fires, and touches the buffer no more', async () => {
    let answered: Socket | undefined;
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, object));
      answered = socket;
    });
    const controller = new AbortController();
    const into = Buffer.alloc(1000);
    const reading = storage.getRange(server.url, { offset: 0, into }, controller.signal);
    await waitUntil(() => answered !== undefined);
    controller.abort(new Error('interrupted'));
    await expect(reading).rejects.toThrow('interrupted');
    answered?.write(object.subarray(0, 1000));
    await waitUntil(() => answered?.destroyed === true);
    expect(into.equals(Buffer.alloc(1000))).toBe(true);
  });
});
