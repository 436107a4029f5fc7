/** Certificates that prove nothing: the error names the host, the cause, and what to do. */
import { dirSync } from 'tmp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createApi } from '../../../../src/api/create-api.ts';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { NO_PROXIES } from '../../../../src/lib/proxy-rules.ts';
import { type CertificateOptions, makeCertificate } from '../../../support/certificate.ts';
import { startStub } from '../../../support/stub-server.ts';

interface Refused extends CertificateOptions {
  readonly trusted: boolean;
}

const CASES: readonly (readonly [string, Refused, RegExp])[] = [
  [
    'that signed itself',
    { trusted: false },
    /the certificate of 127\.0\.0\.1 comes from no authority that is trusted here \(self-signed certificate\): .*--ca-file/,
  ],
  [
    'of another host',
    { trusted: true, names: 'DNS:store.example' },
    /the certificate of 127\.0\.0\.1 is one of another host \(DNS:store\.example\): use the name .*--ca-file/,
  ],
  [
    'that has expired',
    { trusted: true, from: '20200101000000Z', until: '20210101000000Z' },
    /the certificate of 127\.0\.0\.1 has expired: .*clock of this machine.*--ca-file/,
  ],
  [
    'that is not valid yet',
    { trusted: true, from: '20900101000000Z', until: '20910101000000Z' },
    /the certificate of 127\.0\.0\.1 is not valid yet: is the clock of this machine right\?/,
  ],
];

async function expectRefusal({ trusted, ...options }: Refused, says: RegExp): Promise<void> {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  const certificate = await makeCertificate(name, options);
  const server = await startStub(() => ({}), { certificate });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const network = new Network({
    proxies: NO_PROXIES,
    authorities: trusted ? [certificate.cert.toString()] : [],
  });
  const clients = { clock: systemClock, network };
  const api = createApi({ endpoint: `${server.origin}/v2`, token: 't', ...clients });
  const storage = createStorageClient({ ...clients, limits: { timeoutMs: 600 } });
  onTestFinished(async () => void (await Promise.all([api.close(), storage.close()])));

  await expect(api.whoAmI()).rejects.toThrow(says);
  const range = storage.getRange(`${server.origin}/object`, { offset: 0, into: Buffer.alloc(10) });
  await expect(range).rejects.toThrow(says);
  const part = { url: `${server.origin}/part`, method: 'PUT', headers: {}, expiresMs: undefined } as const;
  await expect(storage.putPart(part, Buffer.alloc(10))).rejects.toThrow(says);
  expect(server.requests).toEqual([]);
}

it.each(CASES)('one %s', (_, options, says) => expectRefusal(options, says));

it('one that signed itself, whatever the environment says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expectRefusal({ trusted: false }, /comes from no authority that is trusted here/);
});

it('an authority of NODE_EXTRA_CA_CERTS counts beside those of --ca-file', async () => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  const [extra, named] = [await makeCertificate(name), await makeCertificate(name)];
  vi.stubEnv('NODE_EXTRA_CA_CERTS', extra.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const network = new Network({ proxies: NO_PROXIES, authorities: [named.cert.toString()] });
  for (const certificate of [extra, named]) {
    const server = await startStub(() => ({ username: 'alice' }), { certificate });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const api = createApi({ endpoint: `${server.origin}/v2`, token: 't', clock: systemClock, network });
    onTestFinished(() => api.close());
    expect(await api.whoAmI()).toMatchObject({ username: 'alice' });
  }
});
