import type { OnReadOpts, Socket } from 'node:net';
import { withHost } from '../../lib/connection-failure.ts';
import type { ProxyAddress } from '../../lib/proxy-address.ts';
import {
  bytesSent,
  canTellWaitingBytes,
  descriptorOf,
  openReceiveWindow,
  setReceiveLowWater,
  waitingBytes,
} from '../../lib/socket-addon.ts';
import type { Network, Way } from '../network/network.ts';
import { unreachableProxy } from '../network/proxy-error.ts';
import { ConnectionStalled, type SendingLimits, watchSending } from '../transport/watch-sending.ts';
import { LowWater } from './low-water.ts';
import type { ConnectionUser, PausableConnection, StoreConnection } from './store-connection.ts';

export interface ConnectionLimits {
  readonly connectTimeoutMs: number;
  /** How long the rest of an answer may wait to be taken off its socket. */
  readonly bodyWaitMs?: number;
  /** Of connections over TLS that send bodies: these watch over their requests instead of a time without a byte. */
  readonly sending?: SendingLimits;
}

/**
 * The largest range that is asked for. In small windows, each costs an acknowledgement, and the sender begins to send
 * again.
 */
export const WINDOW_BYTES = 4 * 1024 * 1024;
/** A reader of 100 MiB/s has read all that is ahead of it by then; for one that stops connections are not kept. */
const DEFAULT_BODY_WAIT_MS = 1000;
/** For the head of an answer. Bytes of the body that come with it are copied, so this is not large. */
const HEAD_BUFFER_BYTES = 16 * 1024;

/**
 * A TCP or TLS connection to a store that reads bytes to where they will stay. A stream would allocate for each read,
 * and that is most of what receiving costs; a buffer of the connection's own would cost a copy of everything.
 */
export class RangeConnection implements StoreConnection, PausableConnection {
  /** Undefined while a proxy opens the way to the store. */
  #socket: Socket | undefined;
  readonly #opening = new AbortController();
  readonly #lowWater = new LowWater((bytes) => this.#socket && setReceiveLowWater(this.#socket, bytes));
  readonly bodyWaitMs: number;
  readonly #connectTimeoutMs: number;
  readonly #sending: SendingLimits | undefined;
  readonly #origin: URL;
  readonly #way: Way | undefined;
  readonly #isPlain: boolean;
  #timeoutMs = 0;
  #user: ConnectionUser | undefined;
  /** A request that waits until there is a socket. */
  #unsent: { readonly head: string; readonly onSent: (() => void) | undefined } | undefined;
  #goneBecause: Error | undefined;
  #wasIdle = false;
  /** The store, or its proxy, took the connection. */
  #isThere = false;
  #isStalled = false;
  #isPaused = false;

  constructor(origin: URL, network: Network, limits: ConnectionLimits) {
    const head = new Uint8Array(HEAD_BUFFER_BYTES);
    const onread: OnReadOpts = {
      // Asked for the buffer of the next read as soon as one has been taken: before a pause, whose end nobody knows.
      buffer: () => (this.#isPaused ? head : (this.#user?.room() ?? head)),
      callback: (count, buffer) => {
        this.#take(buffer.subarray(0, count));
        return !this.#isPaused;
      },
    };
    this.#origin = origin;
    this.bodyWaitMs = limits.bodyWaitMs ?? DEFAULT_BODY_WAIT_MS;
    this.#connectTimeoutMs = limits.connectTimeoutMs;
    this.#sending = limits.sending;
    this.#isPlain = origin.protocol === 'http:';
    try {
      this.#way = network.wayTo(origin);
      if (this.proxy?.secure) this.#isPlain = false;
      const { signal } = this.#opening;
      const opened = network.open(origin, onread, { timeoutMs: this.#connectTimeoutMs, signal });
      if (opened instanceof Promise) opened.then(this.#begin, this.#gone);
      else this.#begin(opened);
    } catch (error) {
      this.#goneBecause = error as Error;
    }
  }

  get proxy(): ProxyAddress | undefined {
    return this.#way?.kind === 'forwarded' ? this.#way.proxy : undefined;
  }

  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  get wasIdle(): boolean {
    return this.#wasIdle;
  }

  get isStalled(): boolean {
    return this.#isStalled;
  }

  get pausable(): PausableConnection | undefined {
    return this.#isPlain && canTellWaitingBytes ? this : undefined;
  }

  get waitingBytes(): number {
    return this.#socket ? waitingBytes(this.#socket) : 0;
  }

  /** Of all that was written to it, how much the other side has by now; 0 when it is gone. */
  get sentBytes(): number {
    return this.#socket ? bytesSent(this.#socket) : 0;
  }

  get descriptor(): number {
    return this.isGone || !this.#socket ? -1 : descriptorOf(this.#socket);
  }

  pause(): void {
    this.#isPaused = true;
    this.#lowWater.begin();
    this.#socket?.setTimeout(0);
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket?.setTimeout(this.#timeoutMs);
    this.#socket?.resume();
  }

  /**
   * Sends a request for a user, who gets what comes until `release`; gone after so long without a byte, 0: any time. When
   * `onSent` is called the network has the head, and a body may follow.
   */
  request(head: string, user: ConnectionUser, stallTimeoutMs: number, onSent?: () => void): void {
    this.#user = user;
    this.#lowWater.begin();
    this.#timeoutMs = stallTimeoutMs;
    if (this.#goneBecause) {
      user.onGone(this.#goneBecause);
      return;
    }
    if (this.#socket) this.#send(this.#socket, head, onSent);
    else this.#unsent = { head, onSent };
  }

  /** Sends bytes of a body; they must stay as they are until `onSent` is called, or the connection is gone. */
  send(bytes: Uint8Array, onSent: () => void): void {
    this.#socket?.write(bytes, unlessFailed(onSent));
  }

  release(idleMs: number): void {
    this.#user = undefined;
    this.#wasIdle = true;
    this.#timeoutMs = idleMs;
    this.#socket?.setTimeout(idleMs);
    this.#socket?.unref();
  }

  close(reason: Error): void {
    this.#gone(reason);
    this.#opening.abort();
    this.#socket?.destroy();
  }

  readonly #begin = (socket: Socket): void => {
    if (this.isGone) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    socket.setNoDelay(true);
    const connected = (): void => {
      openReceiveWindow(socket, WINDOW_BYTES);
      if (!this.#sending) socket.setTimeout(this.#timeoutMs);
    };
    if (socket.connecting) socket.once('connect', connected);
    else connected();
    socket.once(this.proxy?.secure || this.#sending ? 'secureConnect' : 'connect', () => {
      this.#isThere = true;
      if (this.#sending) socket.setTimeout(this.#timeoutMs);
    });
    socket.on('timeout', () => {
      this.#isStalled = this.#user !== undefined;
      this.close(new ConnectionStalled('the store sent nothing for too long', socket.timeout ?? 0));
    });
    socket.on('error', (error) => this.#gone(this.#named(error)));
    socket.on('end', () => this.close(new Error('the store closed the connection')));
    socket.on('close', () => this.#gone(new Error('the connection was closed')));
    if (this.#sending) watchSending(socket, this.#sending);
    if (this.#unsent) this.#send(socket, this.#unsent.head, this.#unsent.onSent);
    else if (this.#wasIdle) socket.unref();
    this.#unsent = undefined;
  };

  #send(socket: Socket, head: string, onSent: (() => void) | undefined): void {
    const isOpening = this.#sending ? !this.#isThere : socket.connecting;
    const openingMs = Math.min(this.#connectTimeoutMs, this.#timeoutMs || Number.POSITIVE_INFINITY);
    socket.ref();
    socket.setTimeout(isOpening ? openingMs : this.#timeoutMs);
    socket.write(head, 'latin1', onSent && unlessFailed(onSent));
  }

  /** The error, with the name of the proxy that failed. */
  #named(error: Error): Error {
    if (this.proxy && !this.#isThere) return unreachableProxy(this.proxy, error);
    return error;
  }

  #take(bytes: Uint8Array): void {
    if (!this.#user) {
      this.close(new Error('the store sent what nobody asked for'));
      return;
    }
    this.#user.onBytes(bytes);
    if (this.#isPaused) return;
    const left = this.#user?.room()?.length ?? 0;
    this.#lowWater.afterPiece(bytes.length, { left, nowMs: performance.now() });
  }

  readonly #gone = (reason: Error): void => {
    this.#goneBecause ??= withHost(reason, this.#origin.hostname);
    const user = this.#user;
    this.#user = undefined;
    user?.onGone(this.#goneBecause);
  };
}

/** The user of the connection hears of a failure by `onGone`. */
function unlessFailed(onSent: () => void): (error?: Error | null) => void {
  return (error) => {
    if (!error) onSent();
  };
}
