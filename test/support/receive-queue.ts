import { readFileSync } from 'node:fs';

/** Bytes that came for the owner of this end of a TCP connection over 127.0.0.1, and were not read yet (proc_net_tcp). */
export function receiveQueueBytes(end: { readonly port: number; readonly peerPort: number }): number {
  const loopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  // sl: local_address rem_address st tx_queue:rx_queue
  const line = new RegExp(`${loopback(end.port)} ${loopback(end.peerPort)} \\S+ \\S+:(\\S+)`);
  const [, received] = line.exec(readFileSync('/proc/net/tcp', 'latin1')) ?? [];
  if (received === undefined) throw new Error(`no connection from ${end.port} to ${end.peerPort}`);
  return Number.parseInt(received, 16);
}
