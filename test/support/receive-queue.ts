import { readFileSync } from 'node:fs';

/** Bytes that came for the owner of this end of a TCP connection over 127.0.0.1, and were not read yet (proc_net_tcp). */
export function receiveQueueBytes(end: { readonly port: number; readonly peerPort: number }): number {
  const address = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const line = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .find((each) => each.includes(` ${address(end.port)}${address(end.peerPort)}`));
  const [, received] =
    /[0-9A-F]{8}:([0-9A-F]{8})/.exec(line?.slice(line.indexOf(address(end.peerPort)) + 14) ?? '') ?? [];
  if (received === undefined) throw new Error(`no connection from ${end.port} to ${end.peerPort}`);
  return Number.parseInt(received, 16);
}
