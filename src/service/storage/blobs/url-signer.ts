import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { SignedAddress } from '../objects/byte-source.ts';

/**
 * Addresses that carry their own permission: an HMAC over method, path and expiry. The holder of one may do this one
 * thing until then, without a token.
 */
export class UrlSigner {
  readonly #key: Buffer;
  readonly #clock: Clock;

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /** @param path Encoded, without a query. */
  sign(method: 'GET' | 'PUT', path: string, lifetimeSeconds: number): SignedAddress {
    const expires = Math.floor(this.#clock.now() / 1000) + lifetimeSeconds;
    const signature = this.#signature(method, path, String(expires));
    return { url: `${path}?expires=${expires}&signature=${signature}`, expiresMs: expires * 1000 };
  }

  /** Whether the request line was signed by us and has not expired. HEAD is allowed what GET is. */
  verify(method: string, url: string): boolean {
    const [path = '', query] = url.split('?', 2);
    const parameters = new URLSearchParams(query);
    const expires = parameters.get('expires') ?? '';
    // As text: decoding would pass over what follows the digits.
    const given = Buffer.from(parameters.get('signature') ?? '');
    const expected = Buffer.from(this.#signature(method === 'HEAD' ? 'GET' : method, path, expires));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return Number(expires) * 1000 > this.#clock.now();
  }

  #signature(method: string, path: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${method}\n${path}\n${expires}`).digest('hex');
  }
}

export interface HasSigner {
  /** Signs addresses that the service itself serves. */
  readonly signer: UrlSigner;
}

export interface HasDownloadTime {
  /** Lifetime of a download's address. */
  readonly downloadUrlSeconds: number;
}
