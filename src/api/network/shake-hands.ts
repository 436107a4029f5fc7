import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import * as tls from 'node:tls';
import { stopReading } from '../../lib/socket-addon.ts';
import type { Handshake } from '../../lib/tls-addon.ts';
import { RecordBounds } from './record-bounds.ts';

/**
 * Has Node.js shake hands, and verify the server, over a connection that is to go on without it. Not a record is read by
 * Node.js after the handshake, and none is written: it is handed one record a turn. Undefined: the server is verified, and
 * speaks an older TLS. The connection is not read from any more; it is of no further use by itself.
 *
 * Rejects as `tls.connect` fails, or when the socket is destroyed.
 */
export function shakeHands(socket: Socket, options: tls.ConnectionOptions): Promise<Handshake | undefined> {
  return new HandshakeInRecords(socket, options).run();
}

class HandshakeInRecords {
  readonly #socket: Socket;
  readonly #between: Duplex;
  readonly #tls: tls.TLSSocket;
  readonly #sent = new RecordBounds();
  #unread: Buffer = Buffer.alloc(0);
  #isFeeding = false;
  #isVerified = false;
  #isOver = false;
  #isEnded = false;
  #onEnd = (): void => undefined;
  #clientSecret: Buffer | undefined;
  #serverSecret: Buffer | undefined;

  constructor(socket: Socket, options: tls.ConnectionOptions) {
    this.#socket = socket;
    this.#between = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        // What Node.js says at its end is not the end of the connection.
        if (this.#isOver) {
          done();
          return;
        }
        this.#sent.take(chunk);
        socket.write(chunk, done);
      },
    });
    this.#tls = tls.connect({ ...options, socket: this.#between });
  }

  async run(): Promise<Handshake | undefined> {
    const socket = this.#socket;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#onEnd = () => reject(new Error('the store closed the connection'));
        const ended = (): void => {
          this.#isEnded = true;
          void this.#feed();
        };
        socket.on('data', this.#take).once('error', reject).once('end', ended).once('close', ended);
        this.#between.on('error', reject);
        this.#tls.on('keylog', (line: Buffer) => this.#takeSecret(line));
        this.#tls.on('error', reject).once('close', ended);
        this.#tls.once('secureConnect', () => {
          this.#isVerified = this.#tls.authorized;
          this.#whenSent().then(resolve, reject);
        });
      });
      return this.#handshake();
    } catch (error) {
      this.#clientSecret?.fill(0);
      this.#serverSecret?.fill(0);
      throw error;
    } finally {
      this.#isOver = true;
      socket.off('data', this.#take);
      this.#tls.destroy();
    }
  }

  readonly #take = (chunk: Buffer): void => {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    void this.#feed();
  };

  /** A record at a time: Node.js reads what it is handed, and the next record may be one of application keys. */
  async #feed(): Promise<void> {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    while (!this.#isVerified && !this.#isOver) {
      const length = recordLength(this.#unread);
      if (length === undefined) break;
      this.#between.push(this.#unread.subarray(0, length));
      this.#unread = this.#unread.subarray(length);
      do await turn();
      while (this.#between.readableLength > 0 && !this.#isOver);
    }
    this.#isFeeding = false;
    // Its last words may say why.
    if (this.#isEnded && !this.#isVerified) this.#onEnd();
  }

  /** The last message of the handshake is ours, and on its way. */
  async #whenSent(): Promise<void> {
    const isTls13 = this.#tls.getProtocol() === 'TLSv1.3';
    while (!this.#isOver) {
      await turn();
      if (this.#between.writableLength === 0 && (!isTls13 || this.#sent.sealedRecords > 0)) return;
    }
  }

  #handshake(): Handshake | undefined {
    const [clientSecret, serverSecret] = [this.#clientSecret, this.#serverSecret];
    const isTls13 = this.#isVerified && this.#tls.getProtocol() === 'TLSv1.3';
    if (!isTls13 || clientSecret === undefined || serverSecret === undefined) return undefined;
    // A listener is handed what is read here, too.
    this.#socket.off('data', this.#take);
    stopReading(this.#socket);
    const read: Buffer[] = [this.#unread];
    for (let chunk = this.#socket.read(); chunk !== null; chunk = this.#socket.read()) read.push(chunk);
    const suite = this.#tls.getCipher().standardName;
    return { suite, clientSecret, serverSecret, unread: Buffer.concat(read) };
  }

  /** `LABEL CLIENT_RANDOM SECRET`, in hex, as a line: the form of SSLKEYLOGFILE. */
  #takeSecret(line: Buffer): void {
    if (line.indexOf('CLIENT_TRAFFIC_SECRET_0 ') === 0) this.#clientSecret = lastWordOf(line);
    if (line.indexOf('SERVER_TRAFFIC_SECRET_0 ') === 0) this.#serverSecret = lastWordOf(line);
    line.fill(0);
  }
}

const HEADER_BYTES = 5;
/** change_cipher_spec, alert, handshake and application_data (RFC 8446, B.1). */
const TYPES: ReadonlySet<number> = new Set([20, 21, 22, 23]);
const MOST_BYTES = 2 ** 14 + 2048;

/** Of the first record, if it is whole. Bytes that are none go to Node.js as they are, which tells what is wrong. */
function recordLength(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readUInt16BE(3);
  if (!TYPES.has(bytes.readUInt8(0)) || length > MOST_BYTES) return bytes.length;
  return bytes.length < HEADER_BYTES + length ? undefined : HEADER_BYTES + length;
}

/** Of hex, without a string of it, which could not be wiped. */
function lastWordOf(line: Buffer): Buffer {
  const from = line.lastIndexOf(' ') + 1;
  const end = line.at(-1) === 0x0a ? line.length - 1 : line.length;
  const bytes = Buffer.alloc((end - from) >> 1);
  const digit = (at: number): number => {
    const code = line.readUInt8(at);
    return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
  };
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (digit(from + 2 * at) << 4) | digit(from + 2 * at + 1);
  }
  return bytes;
}
