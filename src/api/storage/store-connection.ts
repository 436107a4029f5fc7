import type { ProxyAddress } from '../../lib/proxy-address.ts';

/** The reports of a connection to the exchange that uses it. */
export interface ConnectionUser {
  /** Where the next bytes are to be put; undefined: anywhere. Asked for after each `onBytes`. */
  room(): Uint8Array | undefined;
  /** Bytes that came, in the room given before or valid only during the call. */
  onBytes(bytes: Uint8Array): void;
  /** The connection is gone; nothing comes any more. */
  onGone(reason: Error): void;
}

/** A connection whose bytes can wait in its socket, until somebody takes them there. */
export interface PausableConnection {
  /** How long they may wait. */
  readonly bodyWaitMs: number;
  /** Bytes that came and wait, while the connection is paused. */
  readonly waitingBytes: number;
  /** -1 when the connection is gone. */
  readonly descriptor: number;
  /** While bytes are handed over: lets wait what comes after them, for any time. */
  pause(): void;
  resume(): void;
  close(reason: Error): void;
}

/** A connection to a store, which carries one exchange after the other. */
export interface StoreConnection {
  /** That is asked for whole addresses. */
  readonly proxy: ProxyAddress | undefined;
  readonly isGone: boolean;
  /** It was there before the request that it carries: the store may have closed it meanwhile. */
  readonly wasIdle: boolean;
  /** It was given up because nothing came. */
  readonly isStalled: boolean;
  /** Itself where bytes can wait in its socket: their number is known, and they are not encrypted. */
  readonly pausable: PausableConnection | undefined;
  /** Sends a request for a user, who gets what comes until `release`; gone after so long without a byte. */
  request(head: string, user: ConnectionUser, stallTimeoutMs: number): void;
  /** Ends the use by an exchange; the connection is idle then, and keeps no process alive. */
  release(idleMs: number): void;
  /** When it has returned, no room is touched any more. */
  close(reason: Error): void;
}
