import type { Socket } from 'node:net';
import { optionalAddon } from './optional-addon.ts';

/** native/src/socket/socket.cc */
interface SocketAddon {
  setReceiveLowWater(fd: number, bytes: number): void;
  unacknowledgedBytes(fd: number): number;
  waitingBytes(fd: number): number;
}

const addon = optionalAddon<SocketAddon>('socket');

/** Node does not document where the descriptor is, nor where it keeps count of what the kernel has not taken yet. */
type WithHandle = Socket & { readonly _handle?: Handle | null };

interface Handle {
  readonly fd?: number;
  readonly writeQueueSize?: number;
  readonly bytesWritten?: number;
  readStop?(): void;
  /** Of TLS: the connection below. */
  readonly _parent?: Handle;
}

/**
 * Lets the peer of a TCP connection send so much before the first byte of it is read, as far as the system allows
 * (net.ipv4.tcp_rmem). The bytes to wait for have to fit. Otherwise the window begins at 64 KiB and grows with the bytes
 * that are read.
 */
export function openReceiveWindow(socket: Socket, bytes: number): void {
  setReceiveLowWater(socket, bytes);
  setReceiveLowWater(socket, 1);
}

/**
 * Nothing is read from a TCP socket before so many bytes have come, or its end (SO_RCVLOWAT, socket(7)). No more than are still
 * to come, or the last are not read. Where that cannot be had, nothing happens.
 */
export function setReceiveLowWater(socket: Socket, bytes: number): void {
  const fd = descriptorOf(socket);
  if (fd >= 0) addon?.setReceiveLowWater(fd, bytes);
}

export const canTellWaitingBytes = addon !== undefined;

/** The number of bytes that came over a TCP connection and were not read; 0 without the addon. */
export function waitingBytes(socket: Socket): number {
  const fd = descriptorOf(socket);
  return fd >= 0 ? (addon?.waitingBytes(fd) ?? 0) : 0;
}

/** Of a TCP connection; -1 when it is closed, or not open yet. */
export function descriptorOf({ _handle: handle }: WithHandle): number {
  return handle?.fd ?? -1;
}

/** Nothing more is read from a TCP connection; what was read already is still to be had by `read`. */
export function stopReading(socket: WithHandle): void {
  socket.pause();
  socket._handle?.readStop?.();
}

/**
 * The number of bytes that were written to a TCP or TLS connection and are still on their way: the kernel has not taken
 * them, or the peer's has not acknowledged them. Without the addon only the former are known.
 */
export function bytesOnTheirWay(socket: WithHandle): number {
  const fd = descriptorOf(socket);
  const sent = fd >= 0 ? addon?.unacknowledgedBytes(fd) : undefined;
  return (socket._handle?.writeQueueSize ?? 0) + (sent ?? 0);
}

/**
 * Of all that was ever written to a TCP or TLS connection, the number of bytes that have arrived at the peer's kernel, with
 * what TLS adds; 0 when it is closed. Without the addon: that this machine's kernel has taken.
 */
export function bytesSent(socket: WithHandle): number {
  const fd = descriptorOf(socket);
  // TLS counts what the connection below has taken of a piece only when that has the whole piece.
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle?._parent ?? socket._handle ?? {};
  const unacknowledged = fd >= 0 ? addon?.unacknowledgedBytes(fd) : undefined;
  return Math.max(0, bytesWritten - writeQueueSize - (unacknowledged ?? 0));
}
