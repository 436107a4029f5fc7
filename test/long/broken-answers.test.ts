/** The client of the API, told what no service says: it refuses with a reason, in time, and asks on. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiClient, createApi } from '../../src/api/create-api.ts';
import { ApiError, TransportError } from '../../src/api/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type StubServer, startStub } from '../support/stub-server.ts';
import { amount, Random, SEED } from './seeded.ts';

const ANSWERS = amount('LONG_ANSWERS', 20_000);
/** A call that keeps failing. */
const LIMIT_MS = 300;
const IN_TIME_MS = 20 * LIMIT_MS;
const STATUSES = [200, 200, 200, 200, 200, 201, 204, 206, 301, 400, 401, 403, 404, 409, 416, 418, 500, 503];

const FILE = {
  id: 'f1',
  name: 'a.bam',
  type: 'file',
  parent: 'd1',
  project: 'ann/study',
  size: 7,
  created_on: '2024-01-01T00:00:00Z',
  modified_on: '2024-01-01T00:00:00Z',
  origin: {},
  tags: ['t'],
  metadata: { k: 'v' },
  storage: { type: 'PLATFORM' },
};
const ANSWER = {
  ...FILE,
  username: 'ann',
  capabilities: ['download_info_file'],
  url: 'http://store.example/x?y=1',
  method: 'PUT',
  headers: { 'X-Part': '1' },
  file: FILE,
  upload_id: 'u1',
  part_size: 5 * 1024 * 1024,
  parts: [{ part_number: 1, response: { headers: { ETag: '"e"' } } }],
  root_folder: 'd0',
  permissions: { write: true, copy: true },
  state: 'COMPLETED',
  items: [{ ...FILE, resource: FILE, location: 'a/b', type: 'FILE' }],
  prefixes: [{ prefix: 'a/' }],
  links: [{ rel: 'next', href: 'http://h/v2/x?offset=100&limit=100', method: 'GET' }],
};

let stub: StubServer;
let api: ApiClient;
let random: Random;
beforeAll(async () => {
  random = new Random(SEED);
  stub = await startStub((_, response) => {
    const status = random.of(STATUSES);
    const headers = {
      'content-type': random.of(['application/json', 'application/json', 'text/html', 'nonsense']),
      'x-total-matching-query': random.of(['1', '0', '-1', '1e30', 'x', '']),
    };
    response.writeHead(status, headers).end(status === 204 ? '' : anyText(random));
  });
  const limits = { timeoutMs: LIMIT_MS };
  api = createApi({ endpoint: `${stub.origin}/v2`, token: 't', clock: systemClock, limits });
});
afterAll(async () => {
  await api?.close();
  await stub?.[Symbol.asyncDispose]();
});

function anyValue(random: Random, depth = 0): unknown {
  const plain = [null, true, 0, -1, 1.5, 1e300, '', 'x', '\u0000', '../..', '__proto__', 'x'.repeat(1000)];
  const kind = depth > 3 ? 2 : random.below(4);
  if (kind === 0) return Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1));
  if (kind === 1)
    return { [random.of(['id', 'name', 'value', '__proto__', ''])]: anyValue(random, depth + 1) };
  return random.of(plain);
}

/** The same with some of its values others, or gone. */
function broken(value: unknown, random: Random): unknown {
  if (random.next() < 0.08) return anyValue(random);
  if (Array.isArray(value)) return value.map((each) => broken(each, random));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(() => random.next() > 0.04);
  return Object.fromEntries(kept.map(([key, each]) => [key, broken(each, random)]));
}

function anyText(random: Random): string {
  const text = JSON.stringify(broken(ANSWER, random)) ?? '';
  const kind = random.next();
  if (kind < 0.85) return text;
  if (kind < 0.95) return text.slice(0, random.below(text.length + 1));
  return random.of(['<html>no</html>', '\ufeff{}', 'null', '[]', '0', '"x"', '{', `${'['.repeat(5000)}`]);
}

const PAGE = { offset: 0, limit: 100 };
const PLACE = { parent: 'd1', name: 'a' };
const CALLS: readonly ((api: ApiClient) => Promise<unknown>)[] = [
  (client) => client.whoAmI(),
  (client) => client.capabilities(),
  (client) => client.projects.list(PAGE),
  (client) => client.projects.get('ann/study'),
  (client) => client.files.get('f1'),
  (client) => client.files.find(PLACE),
  (client) => client.files.list('d1', PAGE),
  (client) => client.files.edit('f1', { name: 'b' }),
  (client) => client.files.move('f1', PLACE),
  (client) => client.files.createFolder(PLACE),
  (client) => client.files.delete('f1'),
  (client) => client.files.putMetadata('f1', { k: 'v' }),
  (client) => client.files.downloadInfo('f1'),
  (client) => client.files.downloadInfoAndFile('f1'),
  (client) => client.files.bulkGet(['f1', 'f2']),
  (client) => client.files.bulkDelete(['f1', 'f2']),
  (client) => client.uploads.initialise({ ...PLACE, overwrite: true }),
  (client) => client.uploads.partUrl('u1', 1),
  (client) => client.uploads.reportedParts('u1'),
  (client) => client.uploads.complete('u1', [{ partNumber: 1, etag: 'e' }]),
  (client) => client.uploads.inline({ ...PLACE, overwrite: true }, Buffer.from('x')),
  (client) => client.volumes.list(PAGE),
  (client) => client.volumes.get('ann/v'),
  (client) => client.volumes.contents('ann/v', { prefix: '' }),
  (client) => client.volumes.object('ann/v', 'a'),
  (client) => client.volumes.downloadInfo('ann/v', 'a'),
  (client) => client.transfers.get('import', ['j1']),
  (client) => client.asyncFiles.get('copy', 'j1'),
  (client) => client.asyncFiles.start('copy', [{ file: 'f1' }]),
];

it('are refused with a reason, in time, whatever they are', { timeout: 6 * 3_600_000 }, async () => {
  for (let done = 0; done < ANSWERS; done += 1) {
    const at = random.below(CALLS.length);
    const began = performance.now();
    const error = await CALLS[at]?.(api).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const what = `call ${at}, answer ${done}, MODEL_SEED=${SEED}: ${error instanceof Error ? error.stack : ''}`;
    expect(error === undefined || error instanceof ApiError || error instanceof TransportError, what).toBe(
      true,
    );
    expect(performance.now() - began, what).toBeLessThan(IN_TIME_MS);
  }
});
