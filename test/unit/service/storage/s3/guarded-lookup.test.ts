import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { guardedHost, guardedLookup } from '../../../../../src/service/storage/s3/guarded-lookup.ts';
import { S3Clients } from '../../../../../src/service/storage/s3/s3-clients.ts';
import { stubStore } from './stub-store.ts';

const GOOD: LookupAddress = { address: '203.0.113.7', family: 4 };
const METADATA: LookupAddress = { address: '169.254.169.254', family: 4 };

function lookUp(lookup: LookupFunction, options: { readonly all: boolean }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup('store.example.org', options, (error, ...found) => (error ? reject(error) : resolve(found)));
  });
}

function leadingTo(addresses: readonly LookupAddress[], allowed: readonly string[] = []): LookupFunction {
  return guardedLookup(allowed, (_hostname, _options, callback) => callback(null, [...addresses]));
}

it('answers addresses in the form that was asked for', async () => {
  expect(await lookUp(leadingTo([GOOD]), { all: true })).toEqual([[GOOD]]);
  expect(await lookUp(leadingTo([GOOD]), { all: false })).toEqual(['203.0.113.7', 4]);
});

it.each([true, false])('refuses a name that leads to a metadata address too, all: %s', async (all) => {
  const refused = lookUp(leadingTo([GOOD, METADATA]), { all });
  await expect(refused).rejects.toMatchObject({ kind: 'unreachable', cause: { kind: 'bad-endpoint' } });
});

it('lets the operator allow it', async () => {
  const allowed = leadingTo([METADATA], ['store.example.org']);
  expect(await lookUp(allowed, { all: true })).toEqual([[METADATA]]);
});

it('passes on that a name leads nowhere', async () => {
  const nowhere = guardedLookup([], (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []),
  );
  await expect(lookUp(nowhere, { all: true })).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('no client connects to an address that is refused, where nothing is to be looked up', async () => {
  let asked = 0;
  const endpoint = await stubStore((_request, response) => {
    asked += 1;
    response.end();
  });
  const listing = (allowed: readonly string[]) => {
    const clients = new S3Clients({ lookup: guardedLookup(allowed), refused: guardedHost(allowed) });
    const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const client = clients.get({ endpoint, region: 'us-east-1', pathStyle: true, keys });
    return client.send(new ListObjectsV2Command({ Bucket: 'bucket' }));
  };
  await expect(listing([])).rejects.toMatchObject({ kind: 'bad-endpoint' });
  expect(asked).toBe(0);
  await listing(['127.0.0.1']).catch(() => undefined);
  expect(asked).toBeGreaterThan(0);
});
