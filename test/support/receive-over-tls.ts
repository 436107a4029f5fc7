/**
 * A program: receives over TLS by a thread of the addon, from a server that is right, is cut off, or sends what it likes. Prints
 * what was wrong, and nothing when all was right. Its argument is the module `lib/tls-addon` to try, as source or compiled.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { descriptorOf, stopReading } from '../../src/lib/socket-addon.ts';
import type { News } from '../../src/lib/tls-addon.ts';
import { DATA, HANDSHAKE, RecordSealer } from './sealed-records.ts';

const SUITE = 'TLS_AES_256_GCM_SHA384';
const ROUNDS = 40;
const { adopt } = (await import(process.argv[2] ?? '')) as typeof import('../../src/lib/tls-addon.ts');

const peers: Socket[] = [];
const server = createServer((socket) => void peers.push(socket.on('error', () => undefined)));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const rounds = Array.from({ length: ROUNDS }, (_, round) => receive(round));
const wrong = (await Promise.all(rounds)).filter((each) => each !== undefined);
process.stdout.write(wrong.join('\n'));
server.close();

async function peerOf(port: number | undefined): Promise<Socket> {
  for (;;) {
    const peer = peers.find(({ remotePort }) => remotePort === port);
    if (peer) return peer;
    await turn();
  }
}

/** One connection: of every four, two bring all, one is closed here midway, and one sends what is no record of it. */
async function receive(round: number): Promise<string | undefined> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const { localPort } = socket;
  const peer = await peerOf(localPort);
  const [clientSecret, serverSecret] = [randomBytes(48), randomBytes(48)];
  const sealer = new RecordSealer(SUITE, serverSecret);
  const body = randomBytes(1_000_000 + round);
  const room = Buffer.alloc(body.length);
  let received = 0;
  let end: Error | undefined;
  stopReading(socket);
  const handshake = { suite: SUITE, clientSecret, serverSecret, unread: Buffer.alloc(0) };
  const adopted = adopt(descriptorOf(socket), handshake, (news: News) => {
    received += news.bytes;
    end = news.end;
  });
  socket.destroy();
  adopted.receive(room);
  adopted.send(Buffer.alloc(20_000));
  for (let at = 0; at < body.length; at += 10_000 + round) {
    peer.write(sealer.seal(DATA, body.subarray(at, at + 10_000 + round), round));
    if (at % 7 === 0) peer.write(sealer.seal(HANDSHAKE, Buffer.of(4, 0, 0, 1, round)));
  }
  const kind = round % 4;
  if (kind === 2) {
    while (received === 0) await turn();
    adopted.close();
    room.fill(1);
  } else if (kind === 3) {
    while (received < body.length) await turn();
    adopted.receive(room);
    peer.write(randomBytes(20_000));
    while (end === undefined) await turn();
  } else {
    while (received < body.length) await turn();
    if (!room.equals(body)) return `round ${round}: other bytes`;
  }
  adopted.close();
  peer.destroy();
  return kind === 2 && !room.every((byte) => byte === 1) ? `round ${round}: touched` : undefined;
}
