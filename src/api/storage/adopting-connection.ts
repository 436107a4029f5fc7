import type { Socket } from 'node:net';
import { withHost } from '../../lib/connection-failure.ts';
import { descriptorOf, openReceiveWindow } from '../../lib/socket-addon.ts';
import {
  type AdoptedConnection,
  adopt,
  type Handshake,
  type News,
  receivesOverTls,
} from '../../lib/tls-addon.ts';
import type { Network } from '../network/network.ts';
import { shakeHands } from '../network/shake-hands.ts';
import { ConnectionStalled } from '../transport/watch-sending.ts';
import { WINDOW_BYTES } from './range-connection.ts';
import type { ConnectionUser, StoreConnection } from './store-connection.ts';

export interface AdoptingOptions {
  readonly connectTimeoutMs: number;
  /** In place of this one, when the store is verified and speaks a TLS that the addon does not. */
  readonly instead: () => StoreConnection;
}

/**
 * A TLS connection to a store whose bytes a thread of the addon receives (src/decisions/0086-receiving-over-tls.md). Node.js
 * shakes hands and verifies the store; after that the connection is the thread's, which decrypts to where bytes will stay.
 */
export class AdoptingConnection implements StoreConnection {
  readonly proxy = undefined;
  readonly pausable = undefined;
  readonly #origin: URL;
  readonly #network: Network;
  readonly #options: AdoptingOptions;
  readonly #opening = new AbortController();
  /** Until it is adopted. */
  #socket: Socket | undefined;
  #adopted: AdoptedConnection | undefined;
  #instead: StoreConnection | undefined;
  #user: ConnectionUser | undefined;
  /** A request that waits for the handshake. */
  #unsent: string | undefined;
  #room: Uint8Array | undefined;
  #roomTaken = 0;
  /** Of the adopted connection: without a byte for so long it is given up. */
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;
  #goneBecause: Error | undefined;
  #wasIdle = false;
  #isStalled = false;

  constructor(origin: URL, network: Network, options: AdoptingOptions) {
    this.#origin = origin;
    this.#network = network;
    this.#options = options;
    this.#open().catch((error: Error) => this.close(error));
  }

  get isGone(): boolean {
    return this.#instead?.isGone ?? this.#goneBecause !== undefined;
  }

  get wasIdle(): boolean {
    return this.#wasIdle;
  }

  get isStalled(): boolean {
    return this.#instead?.isStalled ?? this.#isStalled;
  }

  request(head: string, user: ConnectionUser, stallTimeoutMs: number): void {
    if (this.#instead) {
      this.#instead.request(head, user, stallTimeoutMs);
      return;
    }
    if (this.#goneBecause) {
      user.onGone(this.#goneBecause);
      return;
    }
    this.#user = user;
    this.#timeoutMs = stallTimeoutMs;
    if (this.#adopted) this.#send(this.#adopted, head);
    else this.#unsent = head;
    this.#socket?.ref();
    this.#setTimeout();
  }

  release(idleMs: number): void {
    this.#user = undefined;
    this.#wasIdle = true;
    this.#timeoutMs = idleMs;
    if (this.#instead) {
      this.#instead.release(idleMs);
      return;
    }
    this.#setTimeout();
    this.#timer?.unref();
    this.#socket?.unref();
    // Its end is noticed only while something may come.
    if (this.#room) this.#receive(undefined);
  }

  close(reason: Error): void {
    this.#goneBecause ??= withHost(reason, this.#origin.hostname);
    this.#opening.abort();
    this.#socket?.destroy();
    this.#adopted?.close();
    this.#adopted = undefined;
    this.#instead?.close(reason);
    clearTimeout(this.#timer);
    const user = this.#user;
    this.#user = undefined;
    user?.onGone(this.#goneBecause);
  }

  async #open(): Promise<void> {
    const limits = { timeoutMs: this.#options.connectTimeoutMs, signal: this.#opening.signal };
    const socket = await this.#network.openUnsecured(this.#origin, limits);
    if (this.#goneBecause) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    this.#prepare(socket);
    let handshake: Handshake | undefined;
    try {
      handshake = await shakeHands(socket, this.#network.securityOf(this.#origin));
      if (this.#goneBecause) return;
      if (handshake && receivesOverTls(handshake.suite)) this.#adopt(socket, handshake);
      else this.#takeOther();
    } finally {
      for (const secret of [handshake?.clientSecret, handshake?.serverSecret]) secret?.fill(0);
      this.#socket = undefined;
      socket.destroy();
    }
  }

  #prepare(socket: Socket): void {
    socket.setNoDelay(true);
    const connected = (): void => {
      openReceiveWindow(socket, WINDOW_BYTES);
      this.#setTimeout();
    };
    if (socket.connecting) socket.once('connect', connected);
    else connected();
    socket.on('timeout', () => this.#stalled());
    socket.on('error', () => undefined);
    this.#setTimeout();
    if (this.#wasIdle && !this.#user) socket.unref();
  }

  #adopt(socket: Socket, handshake: Handshake): void {
    this.#adopted = adopt(descriptorOf(socket), handshake, (news) => this.#take(news));
    this.#timer = setTimeout(() => this.#stalled(), this.#timeoutMs);
    if (!this.#user) this.#timer.unref();
    if (this.#unsent !== undefined) this.#send(this.#adopted, this.#unsent);
    this.#unsent = undefined;
  }

  #takeOther(): void {
    const other = this.#options.instead();
    this.#instead = other;
    if (this.#user && this.#unsent !== undefined) other.request(this.#unsent, this.#user, this.#timeoutMs);
    else other.release(this.#timeoutMs);
    this.#user = undefined;
    this.#unsent = undefined;
  }

  #send(adopted: AdoptedConnection, head: string): void {
    const isSent = adopted.send(Buffer.from(head, 'latin1'));
    if (!isSent) this.close(new Error('the store closed the connection before the request'));
  }

  #take({ bytes, loose, end }: News): void {
    this.#timer?.refresh();
    if (bytes > 0 && this.#room) {
      const from = this.#roomTaken;
      this.#roomTaken += bytes;
      this.#handOver(this.#room.subarray(from, this.#roomTaken));
    }
    if (loose) this.#handOver(loose);
    if (end) this.close(end);
    else if (loose || this.#roomTaken === this.#room?.length) this.#receive(this.#user?.room());
  }

  #handOver(bytes: Uint8Array): void {
    if (this.#user) this.#user.onBytes(bytes);
    else this.close(new Error('the store sent what nobody asked for'));
  }

  #receive(room: Uint8Array | undefined): void {
    this.#room = room?.length === 0 ? undefined : room;
    this.#roomTaken = 0;
    this.#adopted?.receive(this.#room);
  }

  /** On the way to an adopted connection the socket watches itself. */
  #setTimeout(): void {
    if (this.#adopted) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#stalled(), this.#timeoutMs);
      return;
    }
    const { connectTimeoutMs } = this.#options;
    const isConnecting = this.#socket?.connecting;
    const ms = isConnecting
      ? Math.min(connectTimeoutMs, this.#timeoutMs || connectTimeoutMs)
      : this.#timeoutMs;
    this.#socket?.setTimeout(ms);
  }

  #stalled(): void {
    this.#isStalled = this.#user !== undefined;
    this.close(new ConnectionStalled('the store sent nothing for too long', this.#timeoutMs));
  }
}
