import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { openReceiveWindow, waitingBytes } from '../../../src/lib/socket-addon.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Sent {
  readonly bytes: Uint8Array;
  readonly connections: number;
  readonly pieceBytes: number;
}

/** Connections to a store that has sent each of them the bytes, by turns; the work is given the first. */
export async function withStore(
  { bytes, connections, pieceBytes }: Sent,
  work: (socket: Socket) => Promise<void> | void,
): Promise<void> {
  const accepted: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ours = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1' }).pause());
  try {
    await waitUntil(() => accepted.length === connections);
    for (const socket of ours) openReceiveWindow(socket, 2 * bytes.length);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const socket of accepted) socket.write(bytes.subarray(at, at + pieceBytes));
    }
    const [first] = ours;
    if (first === undefined) throw new Error('no connection');
    await waitUntil(() => waitingBytes(first) === bytes.length);
    await work(first);
  } finally {
    for (const socket of [...ours, ...accepted]) socket.destroy();
    server.close();
  }
}
