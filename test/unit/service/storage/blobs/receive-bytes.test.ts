import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { type ReceivedFile, receiveBytes } from '../../../../../src/service/storage/blobs/receive-bytes.ts';

/** More pieces than may wait to be stored. */
const BYTES = Buffer.from(Array.from({ length: 6 * 1024 * 1024 }, (_, index) => index % 251));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcfs-receive-'));
});

afterEach(() => rm(directory, { recursive: true }));

it('frees the chunks of a request as it has taken them', async () => {
  let parsed: MockInstance<IncomingMessage['push']> | undefined;
  const { path } = await sent(BYTES, (incoming) => {
    parsed = vi.spyOn(incoming, 'push');
    return receiveBytes(directory, incoming, BYTES.length);
  });
  expect(BYTES.equals(await readFile(path))).toBe(true);
  const chunks = parsed?.mock.calls.flatMap(([chunk]) => (chunk as Buffer | null) ?? []) ?? [];
  expect(chunks.length).toBeGreaterThan(0);
  expect(chunks.filter(({ length }) => length > 0)).toEqual([]);
});

it('leaves bytes alone that are somebody else’s', async () => {
  const bytes = Buffer.from(BYTES);
  const { path } = await receiveBytes(directory, Readable.from([bytes]), bytes.length);
  expect(BYTES.equals(await readFile(path))).toBe(true);
  expect(BYTES.equals(bytes)).toBe(true);
});

it.each([
  ['its file is made', () => directory],
  ['its file cannot be made', () => join(directory, 'missing')],
])('rejects when the source fails before %s', async (_, into) => {
  const source = new Readable({ read: () => undefined });
  const receiving = receiveBytes(into(), source, 1);
  source.destroy(new Error('the source is gone'));
  await expect(receiving).rejects.toThrow(/the source is gone|ENOENT/);
  expect(await readdir(directory)).toEqual([]);
});

it('rejects when whoever sends has gone before it listens', async () => {
  const receiving = brokenOff(async (incoming) => {
    // Nobody listens for errors, so that none is told.
    await new Promise((resolve) => incoming.once('close', resolve));
    return receiveBytes(directory, incoming, 1);
  });
  await expect(receiving).rejects.toThrow(/aborted|closed before its end/);
  expect(await readdir(directory)).toEqual([]);
});

/** The result of `receive` for a request whose client goes away in the middle of it. */
function brokenOff(receive: (incoming: IncomingMessage) => Promise<ReceivedFile>): Promise<ReceivedFile> {
  return requested({ 'Content-Length': 1 }, async (outgoing, arrived) => {
    outgoing.on('error', () => undefined).flushHeaders();
    const [incoming] = await arrived;
    const receiving = receive(incoming);
    outgoing.destroy();
    return await receiving;
  });
}

/** The result of `receive` for a request with these bytes. */
function sent(
  bytes: Buffer,
  receive: (incoming: IncomingMessage) => Promise<ReceivedFile>,
): Promise<ReceivedFile> {
  return requested({}, async (outgoing, arrived) => {
    outgoing.end(bytes);
    const [incoming, response] = await arrived;
    const received = await receive(incoming);
    response.end();
    const [answer] = await once(outgoing, 'response');
    answer.resume();
    return received;
  });
}

/** The result of `exchange` with a request that is yet to be sent, and the same as it arrives at a server. */
async function requested<T>(
  headers: OutgoingHttpHeaders,
  exchange: (
    outgoing: ClientRequest,
    arrived: Promise<readonly [IncomingMessage, ServerResponse]>,
  ) => Promise<T>,
): Promise<T> {
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outgoing = request({ port, host: '127.0.0.1', method: 'PUT', headers });
    return await exchange(outgoing, once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
