import { getSystemErrorName } from 'node:util';
import { optionalAddon } from './optional-addon.ts';
import { type TrafficKey, trafficKey } from './traffic-key.ts';

/** native/src/tls/calls.cc */
interface TlsAddon {
  start(onNews: (id: number, bytes: number, loose: Buffer | undefined, end: number) => void): void;
  receives(suite: string): boolean;
  adopt(
    fd: number,
    suite: string,
    readKey: Buffer,
    readIv: Buffer,
    writeKey: Buffer,
    writeIv: Buffer,
    unread: Uint8Array,
  ): number;
  send(id: number, bytes: Uint8Array): boolean;
  receive(id: number, room: Uint8Array | undefined): void;
  close(id: number): void;
}

/** A connection of TLS 1.3 at the end of its handshake: not a byte went over it since, in either direction. */
export interface Handshake {
  /** By its name of TLS 1.3. */
  readonly suite: string;
  /** Of application traffic. Their owner overwrites both in the end. */
  readonly clientSecret: Buffer;
  readonly serverSecret: Buffer;
  /** What came already behind the handshake, as it came. */
  readonly unread: Buffer;
}

/** What came over an adopted connection. */
export interface News {
  /** So many bytes more are in its room. */
  readonly bytes: number;
  /** Bytes that came in no room, after those. */
  readonly loose: Buffer | undefined;
  /** Why nothing comes any more. */
  readonly end: Error | undefined;
}

/** A connection that a thread of the addon receives from. */
export interface AdoptedConnection {
  /** False: the connection is of no use any more. */
  send(bytes: Uint8Array): boolean;
  /**
   * Goes on, after a room became full or bytes came in none: into another room, or for a few bytes without one. The room belongs
   * to the connection until it is full, or the connection is closed.
   */
  receive(room: Uint8Array | undefined): void;
  /** When it has returned, no room is touched any more, and no news come. */
  close(): void;
}

const addon = optionalAddon<Partial<TlsAddon>>('tls');
const listeners = new Map<number, (news: News) => void>();
let isStarted = false;

/** Whether there is any suite of which connections can be adopted here. */
export const canReceiveOverTls = receivesOverTls('TLS_AES_128_GCM_SHA256');

/** Whether connections of a suite can be adopted here. */
export function receivesOverTls(suite: string): boolean {
  return addon?.receives?.(suite) === true;
}

/** Takes a connection over from its owner, who closes his descriptor. Throws when that cannot be. */
export function adopt(fd: number, handshake: Handshake, onNews: (news: News) => void): AdoptedConnection {
  if (addon === undefined || !isWhole(addon)) throw new Error('the addon cannot receive over TLS');
  const calls = addon;
  if (!isStarted) calls.start(tell);
  isStarted = true;
  const { suite, clientSecret, serverSecret, unread } = handshake;
  const [read, write] = [trafficKey(suite, serverSecret), trafficKey(suite, clientSecret)];
  try {
    const id = calls.adopt(fd, suite, read.key, read.iv, write.key, write.iv, unread);
    listeners.set(id, onNews);
    return {
      send: (bytes) => calls.send(id, bytes),
      receive: (room) => calls.receive(id, room),
      close: () => {
        listeners.delete(id);
        calls.close(id);
      },
    };
  } finally {
    wipe(read, write);
  }
}

function isWhole(calls: Partial<TlsAddon>): calls is TlsAddon {
  return calls.start !== undefined;
}

function wipe(...keys: readonly TrafficKey[]): void {
  for (const { key, iv } of keys) for (const bytes of [key, iv]) bytes.fill(0);
}

function tell(id: number, bytes: number, loose: Buffer | undefined, end: number): void {
  listeners.get(id)?.({ bytes, loose, end: end === 0 ? undefined : endOf(end) });
}

/** `End` of native/src/tls/connection.h. */
const ENDS: Readonly<Record<number, string>> = {
  1: 'the store closed the connection',
  2: 'what came over TLS was damaged or forged on its way',
  3: 'the store sent what is no TLS 1.3',
  4: 'the store changed its key of TLS',
};
const ALERTED = 256;

function endOf(end: number): Error {
  if (end >= ALERTED) return new Error(`the store ended the connection with TLS alert ${end - ALERTED}`);
  if (end > 0) return new Error(ENDS[end]);
  const code = getSystemErrorName(end);
  return Object.assign(new Error(`read ${code}`), { code });
}
