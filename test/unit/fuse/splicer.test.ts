/** Messages whose end comes from a socket (native/src/transport/splicer.h), to a device that is a socket, too. */
import { closeSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadNativeAddon, type NativeChannel } from '../../../src/fuse/native-addon.ts';
import { descriptorOf } from '../../../src/lib/socket-addon.ts';
import { sampleBytes } from '../../support/sample-bytes.ts';
import { withStore } from './with-store.ts';

const HEAD = Buffer.from('the head of a message');
const CHUNK = Buffer.from(', a chunk, and ');
/** More than a pipe has room for (256), of sizes that a page has room for. */
const FRAGMENTS = 300;
const FRAGMENT_BYTES = 500;
const bytes = sampleBytes(FRAGMENTS * FRAGMENT_BYTES);

let channel: NativeChannel;
/** The other end of the device. */
let kernel: number;

beforeEach(() => {
  const addon = loadNativeAddon();
  const [device, theirs] = addon.socketPair();
  kernel = theirs;
  channel = addon.openChannel({
    device,
    mountPoint: '/nowhere',
    viaHelper: true,
    slots: 1,
    slotBytes: 4096,
    onReadable: () => {},
    onNotified: () => {},
  });
  new Uint8Array(channel.memory).set(HEAD);
});
afterEach(() => {
  channel.close();
  closeSync(kernel);
});

function send(socket: Socket, sizeBytes: number, spare = Buffer.alloc(sizeBytes)): number {
  return channel.sendSpliced(HEAD.length, [CHUNK], descriptorOf(socket), spare);
}

function receivedByKernel(sizeBytes: number): Buffer {
  const received = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; ) at += readSync(kernel, received, at, sizeBytes - at, null);
  return received;
}

function expectMessage(from: number, end: number): void {
  const message = Buffer.concat([HEAD, CHUNK, bytes.subarray(from, end)]);
  expect(receivedByKernel(message.length).equals(message)).toBe(true);
}

it('come whole, one after the other', async () => {
  await withStore({ bytes, connections: 1, pieceBytes: bytes.length }, (socket) => {
    expect(send(socket, 100_000)).toBe(0);
    expectMessage(0, 100_000);
    expect(send(socket, 50_000)).toBe(0);
    expectMessage(100_000, 150_000);
  });
});

it('come whole when they are of more fragments than a pipe has room for, and so do those after them', async () => {
  await withStore({ bytes, connections: 2, pieceBytes: FRAGMENT_BYTES }, (socket) => {
    expect(send(socket, 149_000)).toBe(0);
    expectMessage(0, 149_000);
    expect(send(socket, 1000)).toBe(0);
    expectMessage(149_000, 150_000);
  });
});

it('are not sent when the socket has too few bytes', async () => {
  await withStore({ bytes, connections: 1, pieceBytes: bytes.length }, (socket) => {
    expect(send(socket, bytes.length + 1)).toBe(constants.errno.ENODATA);
    expect(channel.sendWith(HEAD.length, [])).toBe(0);
    expect(receivedByKernel(HEAD.length).equals(HEAD)).toBe(true);
  });
});

it('are not copied because of a connection that was gone, or had too few bytes', async () => {
  await withStore({ bytes, connections: 1, pieceBytes: bytes.length }, (gone) => {
    expect(send(gone, bytes.length + 1)).toBe(constants.errno.ENODATA);
    gone.destroy();
    expect(send(gone, 1)).toBe(constants.errno.ENODATA);
  });
  await withStore({ bytes, connections: 1, pieceBytes: bytes.length }, (socket) => {
    const spare = Buffer.alloc(10_000);
    expect(send(socket, spare.length, spare)).toBe(0);
    expectMessage(0, spare.length);
    expect(spare.equals(Buffer.alloc(spare.length))).toBe(true);
  });
});
