import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UrlSigner } from '../../../../../src/service/storage/blobs/url-signer.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const PATH = '/storage/blobs/0123456789abcdef';
const clock = new FakeClock(Date.UTC(2026, 0, 1));
const signer = new UrlSigner(Buffer.alloc(32, 7), clock);

describe('a signed address', () => {
  test('is good for its method and path until it expires', async () => {
    const own = new FakeClock(Date.UTC(2026, 0, 1));
    const brief = new UrlSigner(Buffer.alloc(32, 7), own);
    const { url, expiresMs } = brief.sign('GET', PATH, 60);
    expect(expiresMs).toBe(own.now() + 60_000);
    expect(brief.verify('GET', url)).toBe(true);
    expect(brief.verify('HEAD', url)).toBe(true);
    await own.advance(59_999);
    expect(brief.verify('GET', url)).toBe(true);
    await own.advance(1);
    expect(brief.verify('GET', url)).toBe(false);
  });

  test.each(['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'get'])('to GET is not good to %s', (method) => {
    expect(signer.verify(method, signer.sign('GET', PATH, 60).url)).toBe(false);
  });

  test('to PUT is not good to read', () => {
    const { url } = signer.sign('PUT', PATH, 60);
    expect(signer.verify('PUT', url)).toBe(true);
    expect(signer.verify('GET', url)).toBe(false);
    expect(signer.verify('HEAD', url)).toBe(false);
  });

  test('of another key is not good', () => {
    const other = new UrlSigner(Buffer.alloc(32, 8), clock);
    expect(signer.verify('GET', other.sign('GET', PATH, 60).url)).toBe(false);
  });

  test.each([
    (url: string) => url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
    (url: string) => url.replace(/expires=\d+/, 'expires=99999999999'),
    (url: string) => url.replace(/expires=\d+&/, ''),
    (url: string) => url.replace(/signature=/, 'signature='.concat('00')),
    (url: string) => url.replace(/&signature=.*/, ''),
    (url: string) => url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    (url: string) => url.replace(/signature=../, 'signature='),
    (url: string) => url.replace(/expires=/, 'expires=99999999999&expires='),
    (url: string) => url.replace('/blobs/', '/parts/'),
    (url: string) => url.replace('/blobs/', '/blobs/../blobs/'),
    (url: string) => url.replace('0123', '0124'),
    (url: string) => url.replace('0123', '%30123'),
    (url: string) => url.replace('?', '/x?'),
    () => PATH,
    () => `${PATH}?`,
    () => '',
  ])('that was changed is not good: %#', (change) => {
    const { url } = signer.sign('GET', PATH, 60);
    expect(change(url)).not.toBe(url);
    expect(signer.verify('GET', change(url))).toBe(false);
  });

  test('is good for its own path alone, whatever the paths are', () => {
    const path = fc.webPath().map((text) => `/storage${text}`);
    fc.assert(
      fc.property(path, path, (one, other) => {
        const { url } = signer.sign('GET', one, 60);
        expect(signer.verify('GET', url)).toBe(true);
        const query = url.slice(url.indexOf('?'));
        expect(signer.verify('GET', `${other}${query}`)).toBe(one === other);
      }),
    );
  });

  test('is nothing that can be made up', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (expires, signature) => {
        const query = new URLSearchParams({ expires, signature });
        expect(signer.verify('GET', `${PATH}?${query}`)).toBe(false);
      }),
    );
  });
});
