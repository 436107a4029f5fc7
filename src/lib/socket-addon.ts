import type { Socket } from 'node:net';
import { optionalAddon } from './optional-addon.ts';

/** native/socket/addon.cc */
interface SocketAddon {
  setReceiveLowWater(fd: number, bytes: number): void;
}

const addon = optionalAddon<SocketAddon>('socket');

/** Node does not document where the descriptor is. */
type WithHandle = Socket & { readonly _handle?: { readonly fd?: number } | null };

/**
 * Nothing is read from a TCP socket before so many bytes have come, or its end (SO_RCVLOWAT, socket(7)). No more than are still
 * to come, or the last are not read. Where that cannot be had, nothing happens.
 */
export function setReceiveLowWater(socket: WithHandle, bytes: number): void {
  const fd = socket._handle?.fd;
  if (fd !== undefined && fd >= 0) addon?.setReceiveLowWater(fd, bytes);
}
