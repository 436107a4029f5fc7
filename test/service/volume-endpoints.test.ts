import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { stubStore } from '../unit/service/storage/s3/stub-store.ts';
import { TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

const INSIDE = [
  'http://localhost:8080',
  'http://127.0.0.1:1',
  'http://127.1',
  'http://[::1]:9000',
  'http://[::ffff:127.0.0.1]',
  'https://10.0.0.7',
  'https://172.16.0.9',
  'https://192.168.1.5',
  'https://[fd12:3456::9]',
  'http://169.254.169.254',
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166',
  'http://0xa9fea9fe:80',
  'http://[::ffff:169.254.169.254]',
  'http://[fe80::1]',
  'http://[fd00:ec2::254]',
  'http://0.0.0.0:1',
  'http://metadata.google.internal',
  'https://METADATA.google.internal./computeMetadata',
];

const EMPTY_LIST = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';

let strict: TestService;
let open: TestService;

beforeAll(async () => {
  strict = await TestService.start();
  open = await TestService.start({ allowedEndpoints: ['0.0.0.0'] });
});
afterAll(async () => {
  await strict.stop();
  await open.stop();
});

let count = 0;
const create = (user: TestUser, endpoint: string) => {
  count += 1;
  const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
  const service = { type: 's3', bucket: 'bucket', endpoint, credentials };
  return user.post('/storage/volumes', { name: `v${count}`, access_mode: 'RW', service });
};

describe('an endpoint', () => {
  test('that leads to a loopback, private, link-local or metadata address is refused at creation and edit', async () => {
    const alice = await strict.user('alice');
    const volume = await TestVolume.make(strict, alice, { name: 'own' });
    for (const endpoint of INSIDE) {
      const made = await create(alice, endpoint);
      expect({ endpoint, ...made.body }).toMatchObject({ endpoint, status: 403, code: 9209 });
      const edited = await alice.call('PATCH', `/storage/volumes/${volume.id}`, {
        body: { service: { endpoint } },
      });
      expect({ endpoint, ...edited.body }).toMatchObject({ endpoint, status: 403, code: 9209 });
      expect(edited.body.message).toMatch(/^The endpoint .* is a .* can allow it \(--allow-endpoint\)\.$/);
    }
    expect((await alice.get('/storage/volumes')).body.items).toHaveLength(1);
  });

  test('where no store answers gets one answer, whatever is there', async () => {
    const service = await TestService.start({ allowedEndpoints: ['127.0.0.0/8', '::1'] });
    onTestFinished(() => service.stop());
    const alice = await service.user('alice');
    const asked: string[] = [];
    const elsewhere = await stubStore(({ url = '' }, response) => {
      asked.push(url);
      response.end();
    });
    const answering = (status: number, headers: Record<string, string> = {}) =>
      stubStore((_request, response) => response.writeHead(status, headers).end('<html>Hello</html>'));
    const endpoints = [
      `http://127.0.0.1:${await freePort()}`,
      `https://127.0.0.1:${await freePort()}`,
      'https://store.invalid',
      await answering(200),
      await answering(302, { Location: elsewhere }),
      await answering(307, { Location: elsewhere }),
      await answering(404),
      await answering(403),
      (await answering(200)).replace('http:', 'https:'),
      await stubStore(({ socket }) => socket.destroy()),
      await stubStore(({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n')),
    ];
    const answers = await Promise.all(
      endpoints.map(async (endpoint) => {
        const { status, body } = await create(alice, endpoint);
        return JSON.stringify([status, body.code, body.message]);
      }),
    );
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]).toContain('[503,9100,');
    expect(asked).toEqual([]);
  }, 120_000);

  test('whose name leads to a private address gets the answer of one that leads nowhere', async () => {
    const user = await strict.user('bob');
    const inside = await create(user, `https://${hostname()}`);
    const nowhere = await create(user, 'https://store.invalid');
    expect(inside.body).toMatchObject({ status: 503, code: 9100 });
    expect(inside.body.message).toBe(nowhere.body.message);
    expect(inside.body.message).toContain('--allow-endpoint');
  });

  test('of the operator’s own store is no user’s to be refused', async () => {
    const own = await stubStore((_request, response) => response.writeHead(200).end(EMPTY_LIST));
    const service = await TestService.start({ volumeEndpoint: own });
    onTestFinished(() => service.stop());
    const alice = await service.user('alice');
    for (const endpoint of ['', own]) expect((await create(alice, endpoint)).status).toBe(200);
    const neighbour = own.replace(/\d+$/, '1');
    expect((await create(alice, neighbour)).body.code).toBe(9209);
  });

  test('that the operator allows is tried', async () => {
    const alice = await open.user('alice');
    const made = await create(alice, 'http://0.0.0.0:1');
    expect(made.body.code).not.toBe(9209);
    expect(made.status).toBeGreaterThanOrEqual(400);
    expect((await create(alice, 'http://169.254.169.254')).body.code).toBe(9209);
  });

  test.each([
    'http://user:password@s3.example.org',
    'http://s3.example.org?token=x',
    'http://s3.example.org#x',
    'ftp://s3.example.org',
    'file:///etc/passwd',
    's3.example.org',
  ])('%s is malformed', async (endpoint) => {
    count += 1;
    const user = await strict.user(`user${count}`);
    expect((await create(user, endpoint)).body).toMatchObject({ status: 400, code: 9029 });
  });
});
