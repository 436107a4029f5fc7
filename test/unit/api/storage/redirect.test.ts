import { expect, it } from 'vitest';
import { followRedirects, StoreRedirect } from '../../../../src/api/storage/redirect.ts';

/** The addresses asked by a request that is redirected to these, one after the other. */
async function asked(start: string, ...locations: readonly string[]): Promise<readonly string[]> {
  const left = [...locations];
  const addresses: string[] = [];
  await followRedirects(new URL(start), async ({ href }) => {
    addresses.push(href);
    const location = left.shift();
    if (location !== undefined) throw new StoreRedirect(307, location);
  });
  return addresses;
}

it('leads from http to https, and not back', async () => {
  const addresses = ['http://a.example/o', 'https://b.example/o', 'https://c.example/o'] as const;
  expect(await asked(...addresses)).toEqual(addresses);
  await expect(asked('https://a.example/o?sig=1', 'http://b.example/o?sig=1')).rejects.toThrow(
    /from https to http: a\.example, b\.example$/,
  );
});

it('is resolved against the address that it came from', async () => {
  expect(await asked('https://a.example/x/o', 'https://b.example/y/o', 'p?q=1')).toEqual([
    'https://a.example/x/o',
    'https://b.example/y/o',
    'https://b.example/y/p?q=1',
  ]);
});

it('leaves other errors as they are', async () => {
  const error = new Error('other');
  await expect(followRedirects(new URL('http://a.example'), () => Promise.reject(error))).rejects.toBe(error);
});
