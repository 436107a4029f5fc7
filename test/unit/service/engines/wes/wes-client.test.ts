import { expect, test } from 'vitest';
import { WesClient } from '../../../../../src/service/engines/wes/wes-client.ts';
import { freePort } from '../../../../support/free-port.ts';

const BASE = '/ga4gh/wes/v1';

/** Asks for a file of the run `own`, where nobody listens: it fails when it is asked for at all. */
async function open(location: string): Promise<unknown> {
  const client = new WesClient({ url: `http://127.0.0.1:${await freePort()}${BASE}`, token: 'token' });
  return client.open('own', location);
}

test.each([
  'http://example.org/x',
  `${BASE}/runs`,
  `${BASE}/runs/`,
  `${BASE}/runs?page_size=100`,
  `${BASE}/runs/other`,
  `${BASE}/runs/other/data/stderr`,
  `${BASE}//runs//other/data`,
  `${BASE}/.%2Fruns/other/data`,
  `${BASE}/%72uns/other/data`,
  `${BASE}/runs%2Fother/data`,
  `${BASE}/runs/own%2F..%2Fother/data`,
  `${BASE}/runs/own/%2e%2e/other/data`,
  `${BASE}/runs/own/data%`,
  '../other/data',
  '../own-too/data',
])('a file of a run does not lie at %s', async (location) => {
  expect(await open(location)).toBeUndefined();
});

test.each([
  'data/x',
  './data/a b%2Fc',
  `${BASE}/runs/own/data/x`,
  `${BASE}/runs/own/data/..x`,
  '/elsewhere/x?of=own',
])('a file of a run may lie at %s', async (location) => {
  await expect(open(location)).rejects.toThrow('fetch failed');
});
