import { createCipheriv } from 'node:crypto';
import { trafficKey } from '../../src/lib/traffic-key.ts';

const CIPHERS: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: 'aes-128-gcm',
  TLS_AES_256_GCM_SHA384: 'aes-256-gcm',
  TLS_CHACHA20_POLY1305_SHA256: 'chacha20-poly1305',
};

export const ALERT = 21;
export const HANDSHAKE = 22;
export const DATA = 23;

/** One direction of TLS 1.3: protects what a test says, whether a server would send it or not. */
export class RecordSealer {
  readonly #cipher: string;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  #sequence = 0;

  constructor(suite: string, secret: Uint8Array) {
    const { key, iv } = trafficKey(suite, secret);
    this.#cipher = CIPHERS[suite] ?? '';
    this.#key = key;
    this.#iv = iv;
  }

  /** One record; `padding` zeros follow the type of its content. */
  seal(type: number, content: Uint8Array, padding = 0): Buffer {
    const inner = Buffer.concat([content, Buffer.of(type), Buffer.alloc(padding)]);
    const header = Buffer.of(23, 3, 3, 0, 0);
    header.writeUInt16BE(inner.length + 16, 3);
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#sequence) >>> 0, 8);
    this.#sequence += 1;
    const cipher = createCipheriv(this.#cipher as 'aes-128-gcm', this.#key, nonce, { authTagLength: 16 });
    cipher.setAAD(header, { plaintextLength: inner.length });
    return Buffer.concat([header, cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
  }
}
