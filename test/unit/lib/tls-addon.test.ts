/** Connections that a thread of the addon receives from, and records of every kind that a server may send. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptorOf, stopReading } from '../../../src/lib/socket-addon.ts';
import { type AdoptedConnection, adopt, type News, receivesOverTls } from '../../../src/lib/tls-addon.ts';
import { ALERT, DATA, HANDSHAKE, RecordSealer } from '../../support/sealed-records.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const [SUITE = ''] = SUITES;
const TICKET = Buffer.concat([Buffer.of(4, 0, 0, 30), randomBytes(30)]);
const KEY_UPDATE = Buffer.of(24, 0, 0, 1, 0);
const NOTHING = Buffer.alloc(0);

let server: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  server = await listen();
});
afterEach(() => server.end());

async function listen() {
  const sockets: Socket[] = [];
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const open: Opened[] = [];
  return {
    open: async (
      suite = SUITE,
      unreadOf: (sealer: RecordSealer) => Buffer = () => NOTHING,
    ): Promise<Opened> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const peer = await waitUntil(() => sockets.shift());
      const opened = new Opened(socket, peer, suite, unreadOf);
      open.push(opened);
      return opened;
    },
    end: () => {
      for (const { adopted, peer } of open) {
        adopted.close();
        peer.destroy();
      }
      listener.close();
    },
  };
}

/** An adopted connection with what it told, and the other end of it. */
class Opened {
  readonly peer: Socket;
  readonly adopted: AdoptedConnection;
  readonly sealer: RecordSealer;
  readonly news: News[] = [];

  constructor(socket: Socket, peer: Socket, suite: string, unreadOf: (sealer: RecordSealer) => Buffer) {
    const length = suite.endsWith('SHA384') ? 48 : 32;
    const [clientSecret, serverSecret] = [randomBytes(length), randomBytes(length)];
    this.sealer = new RecordSealer(suite, serverSecret);
    this.peer = peer;
    stopReading(socket);
    const handshake = { suite, clientSecret, serverSecret, unread: unreadOf(this.sealer) };
    this.adopted = adopt(descriptorOf(socket), handshake, (news) => this.news.push(news));
    socket.destroy();
  }

  /** Without a room. */
  get loose(): Buffer {
    return Buffer.concat(this.news.map(({ loose }) => loose ?? NOTHING));
  }

  get received(): number {
    return this.news.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get end(): Error | undefined {
    return this.news.at(-1)?.end;
  }

  send(...records: readonly Buffer[]): void {
    this.peer.write(Buffer.concat(records));
  }
}

function inRecords(sealer: RecordSealer, bytes: Buffer, most = 16_384): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += most)
    records.push(sealer.seal(DATA, bytes.subarray(at, at + most)));
  return records;
}

it('knows the suites of TLS 1.3 that web servers speak, and no other', () => {
  expect([...SUITES, 'TLS_AES_128_CCM_SHA256', 'nonsense'].map(receivesOverTls)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe.each(SUITES)('of %s', (suite) => {
  it('brings bytes to their room, and stops where that ends', async () => {
    const opened = await server.open(suite);
    const [head, body, surplus] = [Buffer.from('head'), randomBytes(1_000_003), Buffer.from('surplus')];
    opened.send(opened.sealer.seal(DATA, head));
    await waitUntil(() => opened.loose.length > 0);
    const room = Buffer.alloc(body.length + 1, 0xee);
    opened.adopted.receive(room.subarray(0, body.length));
    opened.send(...inRecords(opened.sealer, Buffer.concat([body, surplus])));
    await waitUntil(() => opened.loose.length > head.length);
    expect(opened.received).toBe(body.length);
    expect(room.subarray(0, body.length).equals(body)).toBe(true);
    expect(room.at(-1)).toBe(0xee);
    expect(opened.loose.toString()).toBe('headsurplus');
  });

  it('takes nothing of a record that was changed on its way', async () => {
    const opened = await server.open(suite);
    opened.adopted.receive(Buffer.alloc(100_000));
    const [first = NOTHING, second = NOTHING] = inRecords(opened.sealer, randomBytes(32_768));
    second[100] = (second[100] ?? 0) ^ 1;
    opened.send(first, second);
    await waitUntil(() => opened.end);
    expect(opened.end?.message).toBe('what came over TLS was damaged or forged on its way');
    expect(opened.received).toBe(16_384);
  });
});

it('opens what came with the handshake, though nothing follows', async () => {
  const opened = await server.open(SUITE, (sealer) => sealer.seal(DATA, Buffer.from('early')));
  await waitUntil(() => opened.loose.toString() === 'early');
});

it('passes over tickets, empty records and padding, in pieces of any size', async () => {
  const opened = await server.open();
  const { sealer, adopted } = opened;
  const body = randomBytes(40_000);
  const room = Buffer.alloc(body.length);
  adopted.receive(room);
  const bytes = Buffer.concat([
    sealer.seal(HANDSHAKE, Buffer.concat([TICKET, TICKET.subarray(0, 3)])),
    sealer.seal(HANDSHAKE, TICKET.subarray(3)),
    sealer.seal(DATA, NOTHING),
    sealer.seal(DATA, NOTHING, 5000),
    sealer.seal(DATA, body.subarray(0, 1)),
    sealer.seal(DATA, body.subarray(1, 15_000), 1_000),
    sealer.seal(DATA, body.subarray(15_000, 31_384)),
    sealer.seal(HANDSHAKE, TICKET),
    sealer.seal(DATA, body.subarray(31_384)),
  ]);
  for (let at = 0; at < bytes.length; at += 1777) {
    await new Promise((resolve) => opened.peer.write(bytes.subarray(at, at + 1777), resolve));
  }
  await waitUntil(() => opened.received === body.length);
  expect(room.equals(body)).toBe(true);
});

it.each<[string, (sealer: RecordSealer) => Buffer, string]>([
  ['closes', (sealer) => sealer.seal(ALERT, Buffer.of(1, 0)), 'the store closed the connection'],
  [
    'alerts',
    (sealer) => sealer.seal(ALERT, Buffer.of(2, 40)),
    'the store ended the connection with TLS alert 40',
  ],
  ['changes its key', (sealer) => sealer.seal(HANDSHAKE, KEY_UPDATE), 'the store changed its key of TLS'],
  ['asks for a certificate', (sealer) => sealer.seal(HANDSHAKE, Buffer.of(13, 0, 0, 0)), 'no TLS 1.3'],
  [
    'interrupts a message',
    (sealer) => {
      return Buffer.concat([
        sealer.seal(HANDSHAKE, TICKET.subarray(0, 9)),
        sealer.seal(DATA, Buffer.from('x')),
      ]);
    },
    'no TLS 1.3',
  ],
  ['sends a record without a type', (sealer) => sealer.seal(0, NOTHING, 10), 'no TLS 1.3'],
  ['sends an empty alert', (sealer) => sealer.seal(ALERT, NOTHING), 'no TLS 1.3'],
  ['sends a type that there is not', (sealer) => sealer.seal(99, Buffer.from('x')), 'no TLS 1.3'],
  ['sends too long a content', (sealer) => sealer.seal(DATA, Buffer.alloc(16_385)), 'no TLS 1.3'],
  ['sends too long a record', () => Buffer.of(23, 3, 3, 0x41, 0x01), 'no TLS 1.3'],
  ['sends too short a record', () => Buffer.of(23, 3, 3, 0, 16), 'no TLS 1.3'],
  ['speaks plainly', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'no TLS 1.3'],
])('ends when the server %s, and takes nothing that follows', async (_, recordOf, says) => {
  const opened = await server.open();
  opened.adopted.receive(Buffer.alloc(1000));
  opened.send(opened.sealer.seal(DATA, Buffer.from('before')), recordOf(opened.sealer));
  opened.send(opened.sealer.seal(DATA, Buffer.from('behind')));
  await waitUntil(() => opened.end);
  expect(opened.end?.message).toContain(says);
  expect(opened.received).toBe('before'.length);
});

it('tells of a reset by its code, and of an end in the midst of a record', async () => {
  const [reset, ended] = [await server.open(), await server.open()];
  reset.peer.resetAndDestroy();
  ended.peer.end(ended.sealer.seal(DATA, randomBytes(1000)).subarray(0, 500));
  await waitUntil(() => reset.end && ended.end);
  expect(reset.end).toMatchObject({ code: 'ECONNRESET' });
  expect(ended.end?.message).toBe('the store closed the connection');
  expect(ended.loose).toHaveLength(0);
});

it('touches no room once it is closed', async () => {
  for (let round = 0; round < 5; round += 1) {
    const opened = await server.open();
    const room = Buffer.alloc(2 * 1024 * 1024);
    opened.adopted.receive(room);
    opened.send(...inRecords(opened.sealer, Buffer.alloc(room.length, 1)));
    await waitUntil(() => opened.received > 0);
    opened.adopted.close();
    const news = opened.news.length;
    room.fill(2);
    await new Promise((resolve) => opened.peer.once('close', resolve));
    expect(room.every((byte) => byte === 2)).toBe(true);
    expect(opened.news).toHaveLength(news);
  }
});

it('reads no more than there is room for: the rest waits at the server', async () => {
  const opened = await server.open();
  opened.send(...inRecords(opened.sealer, Buffer.alloc(64 * 1024 * 1024, 1)));
  await waitUntil(() => opened.loose.length > 0);
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(opened.loose).toHaveLength(16_384);
  expect(opened.peer.writableLength).toBeGreaterThan(32 * 1024 * 1024);
});
