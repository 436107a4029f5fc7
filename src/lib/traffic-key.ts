import { createHmac } from 'node:crypto';

/** What protects the records of one direction of TLS 1.3. */
export interface TrafficKey {
  readonly key: Buffer;
  readonly iv: Buffer;
}

const IV_BYTES = 12;

/** Of a suite by its name of TLS 1.3, such as `TLS_AES_128_GCM_SHA256`, from a traffic secret (RFC 8446, 7.3). */
export function trafficKey(suite: string, secret: Uint8Array): TrafficKey {
  const hash = suite.endsWith('SHA384') ? 'sha384' : 'sha256';
  const keyBytes = suite.includes('AES_128') ? 16 : 32;
  return {
    key: expandLabel(hash, secret, 'key', keyBytes),
    iv: expandLabel(hash, secret, 'iv', IV_BYTES),
  };
}

/** HKDF-Expand-Label without a context (RFC 8446, 7.1), of no more bytes than the hash has: one round of RFC 5869. */
function expandLabel(hash: string, secret: Uint8Array, label: string, bytes: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.of(0, bytes, name.length), name, Buffer.of(0, 1)]);
  const expanded = createHmac(hash, secret).update(info).digest();
  const out = Buffer.from(expanded.subarray(0, bytes));
  expanded.fill(0);
  return out;
}
