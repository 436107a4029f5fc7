/** READs that the addon answers by itself, from the socket the one before them was answered from (native/src/transport/channel.h, `goOn`). */
import { closeSync, readSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadNativeAddon, type NativeChannel } from '../../../src/fuse/native-addon.ts';
import { NativeTransport } from '../../../src/fuse/native-transport.ts';
import type { TakenBytes } from '../../../src/lib/byte-chunks.ts';
import { descriptorOf } from '../../../src/lib/socket-addon.ts';
import { sampleBytes } from '../../support/sample-bytes.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { u32, u64 } from './wire.ts';
import { withStore } from './with-store.ts';

const READ = 15;
const GETATTR = 3;
const HEADER_BYTES = 16;
/** A request fills a slot, so that each is read by itself from a device that is a socket. */
const SLOT_BYTES = 4096;
const bytes = sampleBytes(100_000);

let channel: NativeChannel;
/** The other end of the device. */
let kernel: number;
let lastUnique: number;

beforeEach(() => {
  const addon = loadNativeAddon();
  const [device, theirs] = addon.socketPair();
  kernel = theirs;
  lastUnique = 0;
  channel = addon.openChannel({
    device,
    mountPoint: '/nowhere',
    viaHelper: true,
    slots: 2,
    slotBytes: SLOT_BYTES,
    onReadable: () => {},
    onNotified: () => {},
  });
});
afterEach(() => {
  channel.close();
  closeSync(kernel);
});

interface Asked {
  readonly offset: number;
  readonly size: number;
  readonly opcode?: number;
  readonly node?: number;
  readonly handle?: number;
}

function requestOf({ offset, size, opcode = READ, node = 1, handle = 7 }: Asked): Buffer {
  lastUnique += 2;
  const header = [u32(80), u32(opcode), u64(lastUnique), u64(node), Buffer.alloc(16)];
  return Buffer.concat([...header, u64(handle), u64(offset), u32(size), Buffer.alloc(20)]);
}

/** Puts a request to the device; answers its unique id. */
function ask(asked: Asked): number {
  const request = requestOf(asked);
  writeSync(kernel, Buffer.concat([request, Buffer.alloc(SLOT_BYTES - request.length)]));
  return lastUnique;
}

/** As the session does: the first READ, of so many bytes, is taken and answered from the socket. */
function answerFirst(socket: Socket, size: number): void {
  const unique = ask({ offset: 0, size });
  expect(channel.next(0)).toBe(SLOT_BYTES);
  const head = Buffer.concat([u32(HEADER_BYTES + size), u32(0), u64(unique)]);
  new Uint8Array(channel.memory).set(head);
  expect(channel.sendSpliced(HEADER_BYTES, [], descriptorOf(socket), Buffer.alloc(size))).toBe(0);
  expectReply(unique, 0, size);
}

function expectReply(unique: number, from: number, size: number): void {
  const reply = Buffer.alloc(HEADER_BYTES + size);
  for (let at = 0; at < reply.length; ) at += readSync(kernel, reply, at, reply.length - at, null);
  const head = Buffer.concat([u32(reply.length), u32(0), u64(unique)]);
  expect(reply.equals(Buffer.concat([head, bytes.subarray(from, from + size)]))).toBe(true);
}

interface Gone {
  /** As `next` answers. */
  readonly length: number;
  readonly bytes: number;
  readonly reads: number;
  readonly spoiled: number;
}

function goOn(socket: Socket, { most = 16, roomBytes = bytes.length } = {}): Gone {
  const told = new Uint32Array(3);
  const room = Buffer.alloc(roomBytes);
  const length = channel.goOn(1, most, descriptorOf(socket), room, new Uint8Array(told.buffer));
  const [taken = 0, reads = 0, spoiled = 0] = told;
  return { length, bytes: taken, reads, spoiled };
}

/** The number of the request left in the slot, for the session to answer. */
function leftUnique(): bigint {
  return new DataView(channel.memory).getBigUint64(SLOT_BYTES + SLOT_BYTES + 8, true);
}

function withAnswered(work: (socket: Socket) => void): Promise<void> {
  return withStore({ bytes, connections: 1, pieceBytes: bytes.length }, (socket) => {
    answerFirst(socket, 10_000);
    work(socket);
  });
}

it('are those that go on where it ended, until there is none', async () => {
  await withAnswered((socket) => {
    const asked = [10_000, 30_000, 50_000].map((offset) => ask({ offset, size: 20_000 }));
    expect(goOn(socket)).toEqual({ length: 0, bytes: 60_000, reads: 3, spoiled: 0 });
    asked.forEach((unique, index) => {
      expectReply(unique, 10_000 + index * 20_000, 20_000);
    });
  });
});

it('are no more than is said; the next are left to the device', async () => {
  await withAnswered((socket) => {
    const asked = [10_000, 20_000].map((offset) => ask({ offset, size: 10_000 }));
    expect(goOn(socket, { most: 1 })).toMatchObject({ length: 0, reads: 1 });
    expectReply(asked[0] ?? 0, 10_000, 10_000);
    expect(channel.next(0)).toBe(SLOT_BYTES);
  });
});

it.each<[string, Asked, { roomBytes?: number }]>([
  ['of another handle', { offset: 20_000, size: 10_000, handle: 8 }, {}],
  ['of another node', { offset: 20_000, size: 10_000, node: 2 }, {}],
  ['that begins later', { offset: 20_001, size: 10_000 }, {}],
  ['that begins earlier', { offset: 19_999, size: 10_000 }, {}],
  ['of more than the socket has', { offset: 20_000, size: 80_001 }, {}],
  ['of more than there is room for', { offset: 20_000, size: 10_000 }, { roomBytes: 19_999 }],
  ['of another kind', { offset: 20_000, size: 10_000, opcode: GETATTR }, {}],
])('are none after a request %s, which is left in the slot', async (_, other, how) => {
  await withAnswered((socket) => {
    const first = ask({ offset: 10_000, size: 10_000 });
    const left = ask(other);
    ask({ offset: 20_000, size: 10_000 });
    expect(goOn(socket, how)).toEqual({ length: SLOT_BYTES, bytes: 10_000, reads: 1, spoiled: 0 });
    expectReply(first, 10_000, 10_000);
    expect(leftUnique()).toBe(BigInt(left));
  });
});

it('are none when the connection is gone: the request is left in the slot', async () => {
  await withAnswered(() => {
    const left = ask({ offset: 10_000, size: 10_000 });
    const told = new Uint32Array(3);
    expect(channel.goOn(1, 16, -1, Buffer.alloc(10_000), new Uint8Array(told.buffer))).toBe(SLOT_BYTES);
    expect([...told]).toEqual([0, 0, 0]);
    expect(leftUnique()).toBe(BigInt(left));
  });
});

it('are none when the kernel is gone', async () => {
  await withAnswered((socket) => {
    channel.close();
    expect(goOn(socket)).toMatchObject({ length: 0, reads: 0 });
  });
});

it('are answered by a transport, which tells how many, and who lent the bytes', async () => {
  const [device, theirs] = loadNativeAddon().socketPair();
  const transport = new NativeTransport(loadNativeAddon(), {
    device,
    mountPoint: '/nowhere',
    viaHelper: true,
  });
  const put = (asked: Asked): number => writeSync(theirs, requestOf(asked));
  const received: bigint[] = [];
  const all: TakenBytes[] = [];
  const beside: number[] = [];
  await withStore({ bytes, connections: 1, pieceBytes: bytes.length }, async (socket) => {
    const answer = (offset: number, size: number, isAlone: boolean): void => {
      const head = Buffer.concat([u32(HEADER_BYTES + size), u32(0), u64(received.at(-1) ?? 0n)]);
      transport.replyPage.set(head);
      const rest = {
        socket: descriptorOf(socket),
        spare: Buffer.alloc(size),
        after: Buffer.alloc(isAlone ? 0 : bytes.length - offset - size),
        taken: (what: TakenBytes) => all.push(what),
      };
      expect(transport.send(HEADER_BYTES, { chunks: [], rest })).toBe(0);
      beside.push(transport.answeredBeside);
    };
    transport.start({
      receive: (slot, offset) => {
        received.push(new DataView(transport.memory).getBigUint64(offset + 8, true));
        // A stream socket does not tell messages apart: the next one is there when this one is answered.
        if (received.length === 1) {
          put({ offset: 10_000, size: 20_000 });
          answer(0, 10_000, false);
        } else {
          answer(30_000, 1000, true);
        }
        transport.releaseSlot(slot);
      },
      notified: () => {},
      ended: () => {},
    });
    put({ offset: 0, size: 10_000 });
    await waitUntil(() => received.length === 1);
    put({ offset: 30_000, size: 1000 });
    await waitUntil(() => received.length === 2);
  });
  transport.close();
  closeSync(theirs);
  expect(received).toEqual([2n, 6n]);
  expect(beside).toEqual([1, 0]);
  expect(all).toEqual([
    { bytes: 30_000, reads: 2, spoiled: false },
    { bytes: 1000, reads: 1, spoiled: false },
  ]);
});
