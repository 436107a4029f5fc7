import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

const METADATA = [
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
  test('that leads to a metadata or link-local address is refused at creation and edit', async () => {
    const alice = await strict.user('alice');
    const volume = await TestVolume.make(strict, alice, { name: 'own' });
    for (const endpoint of METADATA) {
      const made = await create(alice, endpoint);
      expect({ endpoint, ...made.body }).toMatchObject({ endpoint, status: 403, code: 9209 });
      const edited = await alice.call('PATCH', `/storage/volumes/${volume.id}`, {
        body: { service: { endpoint } },
      });
      expect({ endpoint, ...edited.body }).toMatchObject({ endpoint, status: 403, code: 9209 });
      expect(edited.body.message).toMatch(/^The endpoint .* is a /);
    }
    expect((await alice.get('/storage/volumes')).body.items).toHaveLength(1);
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
