import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bytesOnTheirWay, openReceiveWindow, setReceiveLowWater } from '../../../src/lib/socket-addon.ts';
import { receiveQueueBytes } from '../../support/receive-queue.ts';
import { waitUntil } from '../../support/wait-until.ts';

const MIB = 1024 * 1024;

let client: Socket;
let peer: Socket;
let end: () => void;

beforeEach(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  client = connect((server.address() as { port: number }).port, '127.0.0.1');
  [peer] = await accepted;
  await once(client, 'ready');
  end = () => {
    client.destroy();
    peer.destroy();
    server.close();
  };
});
afterEach(() => end());

/** Over the loopback, what was sent is there when `write` has called back; then the event loop has its turn. */
async function send(bytes: number): Promise<void> {
  await new Promise((resolve) => peer.write(Buffer.alloc(bytes), resolve));
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

it('wakes the reader of a socket for so many bytes', async () => {
  setReceiveLowWater(client, 4096);
  const lengths: number[] = [];
  client.on('data', ({ length }) => lengths.push(length));
  await send(1000);
  await send(1000);
  expect(lengths).toEqual([]);
  await send(3000);
  expect(lengths).toEqual([5000]);
});

it('wakes the reader for the end, too, which is given what came', async () => {
  setReceiveLowWater(client, 4096);
  const received = client.toArray();
  peer.end(Buffer.alloc(1000));
  expect(Buffer.concat(await received).length).toBe(1000);
});

it('lets the peer send so much before anything is read', async () => {
  const end = { port: client.localPort ?? 0, peerPort: client.remotePort ?? 0 };
  openReceiveWindow(client, MIB);
  client.pause();
  peer.write(Buffer.alloc(8 * MIB));
  await waitUntil(() => receiveQueueBytes(end) >= MIB);
});

it('knows what of a write has not arrived', async () => {
  peer.pause();
  expect(bytesOnTheirWay(client)).toBe(0);
  client.write(Buffer.alloc(64 * MIB));
  expect(bytesOnTheirWay(client)).toBeGreaterThan(32 * MIB);
  peer.resume();
  await waitUntil(() => bytesOnTheirWay(client) === 0);
});

it('leaves a closed socket alone', async () => {
  client.destroy();
  await once(client, 'close');
  expect(() => setReceiveLowWater(client, 4096)).not.toThrow();
  expect(() => openReceiveWindow(client, MIB)).not.toThrow();
  expect(bytesOnTheirWay(client)).toBe(0);
});
