import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import {
  type RawRequest,
  type RawServer,
  rangeBytes,
  rangeHead,
  startRawServer,
} from '../../../support/raw-http-server.ts';

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

describe('getRange', () => {
  it('never mixes two versions when it resumes', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      const head = rangeHead(request, object);
      if (before > 0) {
        socket.write(head.replace('"v1"', '"v2"'));
        socket.write(rangeBytes(request, object));
        return;
      }
      socket.end(Buffer.concat([Buffer.from(head), rangeBytes(request, object).subarray(0, 500)]));
    });
    const reading = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(1000) });
    await expect(reading).rejects.toMatchObject({ kind: 'changed' });
  });

  it('refuses another version than the expected one', async () => {
    const { storage, server } = await storeOf(answerRight);
    const range = { offset: 0, into: Buffer.alloc(10), expectedEtag: 'v0' };
    await expect(storage.getRange(server.url, range)).rejects.toMatchObject({ kind: 'changed' });
  });

  it('takes an object that became too short for a changed one', async () => {
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead({ ...request, range: [0, 4] }, object.subarray(0, 5)));
      socket.write(object.subarray(0, 5));
    });
    const reading = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(10) });
    await expect(reading).rejects.toMatchObject({ kind: 'changed' });
  });

  it('takes a whole answer without a byte for an empty object: many servers know no range of one', async () => {
    const { storage, server } = await storeOf((socket) => answerStatus(socket, '200 OK'));
    const asking = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(1) });
    await expect(asking).rejects.toMatchObject({ kind: 'changed', status: 416 });
    expect(server.requests).toHaveLength(1);
  });

  it('refuses a Content-Range that was not asked for', async () => {
    const { storage, server } = await storeOf((socket, request) =>
      answerRight(socket, { ...request, range: [1, 10] }),
    );
    const into = Buffer.alloc(10);
    await expect(storage.getRange(server.url, { offset: 0, into })).rejects.toMatchObject({ kind: 'failed' });
    expect(into.equals(Buffer.alloc(10))).toBe(true);
    expect(server.requests).toHaveLength(3);
    expect(server.connections()).toBe(3);
  });

  it('takes a range of an object whose size the store does not tell', async () => {
    const { storage, server } = await storeOf((socket, request) => {
      socket.write(rangeHead(request, object).replace(`/${object.length}`, '/*'));
      socket.write(rangeBytes(request, object));
    });
    const into = Buffer.alloc(1000);
    const version = await storage.getRange(server.url, { offset: 500, into });
    expect(version).toEqual({ etag: 'v1', objectSizeBytes: undefined });
    expect(into.equals(object.subarray(500, 1500))).toBe(true);
  });

  it('takes a whole object only when that is what was wanted', async () => {
    const { storage, server } = await storeOf((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${object.length}\r\n\r\n`);
      socket.write(object);
    });
    const into = Buffer.alloc(object.length);
    await storage.getRange(server.url, { offset: 0, into });
    expect(into.equals(object)).toBe(true);
    const part = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(10) });
    await expect(part).rejects.toMatchObject({ kind: 'failed', status: 200 });
  });

  it('asks again over another connection when a store ignores the range or answers another one', async () => {
    const { storage, server } = await storeOf((socket, request, before) => {
      if (before === 0) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${object.length}\r\n\r\n`);
        socket.write(object);
      } else {
        answerRight(socket, before === 1 ? { ...request, range: [0, 9] } : request);
      }
    });
    const into = Buffer.alloc(10);
    await storage.getRange(server.url, { offset: 500, into });
    expect(into.equals(object.subarray(500, 510))).toBe(true);
    expect(server.connections()).toBe(3);
  });
});
