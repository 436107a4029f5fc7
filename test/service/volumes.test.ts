import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tmp from 'tmp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService, type TestUser } from './test-service.ts';
import { ended } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let volumes = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  bob = await service.user('bob');
});

afterAll(() => service.stop());

const credentials = { access_key_id: 'key', secret_access_key: 'do-not-tell' };

/** A volume of Alice's on a bucket of its own, with these objects. */
async function makeVolume(
  objects: Readonly<Record<string, string>> = {},
  changes: { readonly access_mode?: string; readonly prefix?: string } = {},
): Promise<{ readonly id: string; readonly bucket: string; readonly directory: string }> {
  volumes += 1;
  const bucket = `bucket-${volumes}`;
  const directory = join(service.dataDir, 'buckets', bucket);
  for (const [key, content] of Object.entries(objects)) {
    await mkdir(join(directory, key, '..'), { recursive: true });
    await writeFile(join(directory, key), content);
  }
  const { access_mode = 'RW', prefix = '' } = changes;
  const { status, body } = await alice.post('/storage/volumes', {
    name: `volume_${volumes}`,
    access_mode,
    service: { type: 's3', bucket, prefix, credentials },
  });
  expect(status).toBe(200);
  return { id: body.id, bucket, directory };
}

describe('creating a volume', () => {
  it('answers the volume with its type in upper case and without the secret', async () => {
    const { status, body } = await alice.post('/storage/volumes', {
      name: 'First_1',
      description: 'of the lab',
      access_mode: 'RO',
      service: {
        type: 's3',
        bucket: 'lab-data',
        prefix: 'in',
        credentials,
        properties: { sse_algorithm: 'AES256' },
      },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      href: `${service.url}/storage/volumes/alice/First_1`,
      id: 'alice/First_1',
      name: 'First_1',
      description: 'of the lab',
      access_mode: 'RO',
      active: true,
      service: {
        type: 'S3',
        bucket: 'lab-data',
        prefix: 'in',
        credentials: { access_key_id: 'key' },
        properties: { sse_algorithm: 'AES256' },
      },
    });
    expect(body.created_on).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await alice.get('/storage/volumes/alice/First_1')).body).toEqual(body);
    const everything = JSON.stringify([body, (await alice.get('/storage/volumes?fields=_all')).body]);
    expect(everything).not.toContain('do-not-tell');
    expect(JSON.stringify(service.logger.lines)).not.toContain('do-not-tell');
  });

  const good = { name: 'v', access_mode: 'RW', service: { type: 's3', bucket: 'b', credentials } };
  it.each([
    ['no name', { ...good, name: undefined }, 9013],
    ['a name with a dash', { ...good, name: 'a-b' }, 9014],
    ['a name of 33 characters', { ...good, name: 'n'.repeat(33) }, 9030],
    ['a description with NUL', { ...good, description: 'a\0b' }, 90000],
    ['a prefix with NUL', { ...good, service: { ...good.service, prefix: 'a\0b' } }, 9031],
    ['no access mode', { ...good, access_mode: undefined }, 9015],
    ['an unknown access mode', { ...good, access_mode: 'rw' }, 9015],
    ['no service', { ...good, service: undefined }, 9016],
    ['no bucket', { ...good, service: { type: 's3', credentials } }, 9017],
    ['a bucket that is a path', { ...good, service: { ...good.service, bucket: '../etc' } }, 9028],
    ['an unknown type', { ...good, service: { ...good.service, type: 'ftp' } }, 9019],
    ['no credentials', { ...good, service: { type: 's3', bucket: 'b' } }, 9034],
    [
      'half the credentials',
      { ...good, service: { ...good.service, credentials: { access_key_id: 'k' } } },
      9034,
    ],
    ['a prefix that climbs', { ...good, service: { ...good.service, prefix: 'a/../..' } }, 9031],
    ['an endpoint that is no address', { ...good, service: { ...good.service, endpoint: 'here' } }, 9029],
    [
      'unknown encryption',
      { ...good, service: { ...good.service, properties: { sse_algorithm: 'rot13' } } },
      9023,
    ],
    [
      'an unknown ACL',
      { ...good, service: { ...good.service, properties: { cloud_canned_acl: 'all' } } },
      9022,
    ],
    [
      'an unknown class',
      { ...good, service: { ...good.service, properties: { cloud_storage_class: 'X' } } },
      9024,
    ],
  ])('refuses %s', async (_what, body, code) => {
    const answer = await alice.post('/storage/volumes', body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  it.each([
    ['file:///etc', 400, 9029],
    // A name that leads nowhere, by its top-level domain.
    ['https://store.invalid', 503, 9100],
  ])('refuses the endpoint %s, where it reaches no store', async (endpoint, status, code) => {
    const body = { ...good, service: { ...good.service, endpoint } };
    const answer = await alice.post('/storage/volumes', body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('takes a directory that the operator has linked to', async () => {
    const elsewhere = tmp.dirSync({ unsafeCleanup: true }).name;
    await writeFile(join(elsewhere, 'data.txt'), 'of the lab');
    await symlink(elsewhere, join(service.dataDir, 'buckets', 'nas'));
    const { body } = await alice.post('/storage/volumes', {
      ...good,
      name: 'nas',
      service: { ...good.service, bucket: 'nas' },
    });
    const level = await alice.get(`/storage/volumes/${body.id}/list?fields=location`);
    expect(level.body.items).toEqual([{ location: 'data.txt' }]);
  });

  it('keeps a bucket of the service from those who do not have the credentials it was first used with', async () => {
    const service = {
      type: 's3',
      bucket: 'private',
      credentials: { access_key_id: 'a', secret_access_key: 'right' },
    };
    await alice.post('/storage/volumes', { ...good, name: 'private', service });
    const tried = async (name: string, given: object): Promise<[number, number | undefined]> => {
      const body = { ...good, name, service: { ...service, credentials: given } };
      const answer = await bob.post('/storage/volumes', body);
      return [answer.status, answer.body.code];
    };
    expect(await tried('key', { access_key_id: 'b', secret_access_key: 'right' })).toEqual([403, 9201]);
    expect(await tried('secret', { access_key_id: 'a', secret_access_key: 'wrong' })).toEqual([403, 9202]);
    expect(await tried('shared', service.credentials)).toEqual([200, undefined]);
  });

  it('refuses a name the caller has, not one that another has', async () => {
    await alice.post('/storage/volumes', { ...good, name: 'twice' });
    const again = await alice.post('/storage/volumes', { ...good, name: 'twice' });
    expect([again.status, again.body.code]).toEqual([409, 9010]);
    expect((await bob.post('/storage/volumes', { ...good, name: 'twice' })).body.id).toBe('bob/twice');
  });
});

describe('contents of a volume', () => {
  it('lists one level, with metadata only when asked for', async () => {
    const { id, bucket } = await makeVolume({ 'a.txt': 'aaa', 'in/b.txt': 'b', 'in/deep/c.txt': 'c' });
    const { body, headers } = await alice.get(`/storage/volumes/${id}/list`);
    const volume = `${service.url}/storage/volumes/${id}`;
    expect(body).toEqual({
      href: `${volume}/list`,
      prefix: '',
      limit: 100,
      continuation_token: '',
      truncated: false,
      items: [{ href: `${volume}/object?location=a.txt`, location: 'a.txt', volume: id, type: 's3' }],
      prefixes: [{ href: `${volume}/list?prefix=in%2F`, prefix: 'in/', volume: id }],
      links: [],
    });
    expect(headers.has('x-total-matching-query')).toBe(false);
    const all = await alice.get(`/storage/volumes/${id}/list?prefix=in/&fields=_all`);
    expect(all.body.items).toHaveLength(1);
    expect(all.body.items[0].metadata).toMatchObject({
      size: 1,
      etag: expect.any(String),
      updated: expect.stringMatching(/Z$/),
      contentType: 'application/octet-stream',
      storageClass: 'STANDARD',
      bucket,
      name: 'in/b.txt',
    });
    const asked = await alice.get(`/storage/volumes/${id}/list?prefix=in/&fields=metadata`);
    expect(asked.body.items).toEqual([{ metadata: all.body.items[0].metadata }]);
    expect(all.body.prefixes.map(({ prefix }: { prefix: string }) => prefix)).toEqual(['in/deep/']);
  });

  it('pages by continuation token, following the links', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `object-${String(i).padStart(2, '0')}`);
    const { id } = await makeVolume(Object.fromEntries(names.map((name) => [`d/${name}`, name])));
    const seen: string[] = [];
    let path: string | undefined = `/storage/volumes/${id}/list?prefix=d/&limit=10&fields=location`;
    while (path !== undefined) {
      const { body } = await alice.get(path);
      expect(body.truncated).toBe(body.links.length === 1);
      seen.push(...body.items.map(({ location }: { location: string }) => location));
      path = body.links[0]?.next.slice(service.url.length);
    }
    expect(seen).toEqual(names.map((name) => `d/${name}`));
  });

  it('refuses limits outside 1 to 100, a foreign token and a prefix that climbs', async () => {
    const { id } = await makeVolume();
    for (const query of ['limit=0', 'limit=101', 'limit=ten', 'continuation_token=%25']) {
      expect([query, (await alice.get(`/storage/volumes/${id}/list?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('answers one object, and 9105 where there is none', async () => {
    const { id } = await makeVolume({ 'a/b c.txt': 'hello' });
    const { body } = await alice.get(`/storage/volumes/${id}/object?location=a/b%20c.txt`);
    expect(body).toMatchObject({ location: 'a/b c.txt', volume: id, type: 's3', metadata: { size: 5 } });
    expect((await alice.get(body.href.slice(service.url.length))).body).toEqual(body);
    const none = await alice.get(`/storage/volumes/${id}/object?location=a`);
    expect([none.status, none.body.code]).toEqual([404, 9105]);
    // Another key than that of the object.
    expect((await alice.get(`/storage/volumes/${id}/object?location=a//b%20c.txt`)).status).toBe(404);
  });

  it('sees only what lies below the prefix of the volume', async () => {
    const { id, bucket } = await makeVolume(
      { 'mine/a': 'a', 'mine/x/b': 'b', 'other/c': 'c' },
      { prefix: '/mine//' },
    );
    const { body } = await alice.get(`/storage/volumes/${id}/list?fields=_all`);
    expect(body.items).toMatchObject([{ location: 'a', metadata: { bucket, name: 'mine/a' } }]);
    expect(body.prefixes).toMatchObject([{ prefix: 'x/' }]);
    const climbing = await alice.get(`/storage/volumes/${id}/object?location=../other/c`);
    expect([climbing.status, climbing.body.code]).toEqual([404, 9105]);
    const above = await alice.get(`/storage/volumes/${id}/list?prefix=../`);
    expect(above.body).toMatchObject({ items: [], prefixes: [] });
  });

  it('gives an address that serves ranges without a token, and only for that object', async () => {
    const { id } = await makeVolume({ 'ä/b?c%20.txt': '0123456789', 'ä/secret': 'secret' });
    const location = encodeURIComponent('ä/b?c%20.txt');
    const { body } = await alice.get(`/storage/volumes/${id}/object/download_info?location=${location}`);
    expect(body).toMatchObject({ size: 10, etag: expect.any(String) });
    const part = await fetch(body.url, { headers: { Range: 'bytes=3-5' } });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      '345',
      'bytes 3-5/10',
    ]);
    expect(part.headers.get('etag')).toBe(`"${body.etag}"`);
    const whole = await fetch(body.url);
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    const other = await fetch(body.url.replace(/b%3F[^?]*\?/, 'secret?'));
    expect(other.status).toBe(403);
  });

  it('says 9200 when the bucket has gone', async () => {
    const { id, directory } = await makeVolume({ a: 'a' });
    await rm(directory, { recursive: true });
    const answer = await alice.get(`/storage/volumes/${id}/list`);
    expect([answer.status, answer.body.code]).toEqual([404, 9200]);
  });
});

describe('who may do what on a volume', () => {
  it('hides a volume from those who are no members', async () => {
    const { id } = await makeVolume({ a: 'a' });
    for (const path of ['', '/list', '/object?location=a', '/members', '/object/download_info?location=a']) {
      const { status, body } = await bob.get(`/storage/volumes/${id}${path}`);
      expect([path, status, body.code]).toEqual([path, 404, 9007]);
    }
    expect((await bob.get('/storage/volumes')).body.items).not.toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  it('lets a member do what the permissions say', async () => {
    const { id } = await makeVolume({ a: 'a' });
    const members = `/storage/volumes/${id}/members`;
    const added = await alice.post(members, { username: 'bob', permissions: { read: true, copy: 'false' } });
    expect(added.body).toMatchObject({
      username: 'bob',
      email: 'bob@example.org',
      permissions: { read: true, copy: false, write: false, admin: false },
    });
    expect((await bob.get(`/storage/volumes/${id}/list`)).status).toBe(200);
    const refused = await bob.get(`/storage/volumes/${id}/object/download_info?location=a`);
    expect([refused.status, refused.body.code]).toEqual([403, 9020]);
    await alice.call('PATCH', `${members}/bob/permissions`, { body: { copy: true } });
    expect((await bob.get(`/storage/volumes/${id}/object/download_info?location=a`)).status).toBe(200);
    const edited = await bob.call('PATCH', `/storage/volumes/${id}`, { body: { description: 'mine now' } });
    expect([edited.status, edited.body.code]).toEqual([403, 9020]);
    const replaced = await alice.call('PUT', `${members}/bob/permissions`, { body: { write: true } });
    expect(replaced.body).toEqual({ read: false, copy: false, write: true, admin: false });
    expect((await bob.get(`/storage/volumes/${id}/list`)).status).toBe(403);
  });

  it('edits a member who is there when it is added again; the word false takes away', async () => {
    const { id } = await makeVolume();
    const add = (permissions: object) =>
      alice.post(`/storage/volumes/${id}/members`, { username: 'bob', permissions });
    await add({ read: true, copy: true });
    const { body } = await add({ copy: 'false', write: 'true' });
    expect(body.permissions).toEqual({ read: true, copy: false, write: true, admin: false });
    expect((await alice.get(`/storage/volumes/${id}/members`)).body.items).toHaveLength(2);
  });

  it.each([
    ['TEAM', 404, 3002],
    ['DIVISION', 404, 3002],
    ['ROBOT', 400, 3005],
  ])('takes a member of type %s for no user of that name', async (type, status, code) => {
    const { id } = await makeVolume();
    const add = (given: string) =>
      alice.post(`/storage/volumes/${id}/members`, {
        username: 'bob',
        type: given,
        permissions: { read: true },
      });
    expect((await add(type)).body).toMatchObject({ status, code });
    expect((await bob.get(`/storage/volumes/${id}`)).status).toBe(404);
    expect((await add('USER')).body).toMatchObject({ username: 'bob', type: 'USER' });
  });

  it('lists, answers and removes members, but not the owner', async () => {
    const { id } = await makeVolume();
    const members = `/storage/volumes/${id}/members`;
    await alice.post(members, { username: 'bob', permissions: { admin: true } });
    const { body, headers } = await alice.get(members);
    expect(headers.get('x-total-matching-query')).toBe('2');
    expect(body.items.map(({ username }: { username: string }) => username)).toEqual(['alice', 'bob']);
    expect((await bob.get(`${members}/alice`)).body.permissions.admin).toBe(true);
    expect((await bob.call('DELETE', `${members}/alice`)).status).toBe(403);
    expect((await alice.call('DELETE', `${members}/bob`)).status).toBe(204);
    expect((await alice.get(`${members}/bob`)).status).toBe(404);
    expect((await alice.post(members, { username: 'nobody', permissions: { read: true } })).body.code).toBe(
      2002,
    );
  });
});

describe('editing and deleting a volume', () => {
  it('refuses a description that no database keeps', async () => {
    const { id } = await makeVolume();
    const { body } = await alice.call('PATCH', `/storage/volumes/${id}`, { body: { description: 'a\0b' } });
    expect(body).toMatchObject({ status: 400, code: 90000, message: expect.stringContaining('description') });
  });

  it('changes what is given and leaves the rest, also inside the service', async () => {
    const { id, bucket } = await makeVolume({}, { prefix: 'p' });
    const { status, body } = await alice.call('PATCH', `/storage/volumes/${id}`, {
      body: { description: 'new', access_mode: 'RO', service: { properties: { sse_algorithm: null } } },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      description: 'new',
      access_mode: 'RO',
      service: {
        bucket,
        prefix: 'p',
        credentials: { access_key_id: 'key' },
        properties: { sse_algorithm: null },
      },
    });
  });

  it('refuses to use a volume that is not active, and deletes only such a one', async () => {
    const { id } = await makeVolume({ a: 'a' });
    const active = await alice.call('DELETE', `/storage/volumes/${id}`);
    expect([active.status, active.body.code]).toEqual([409, 9069]);
    await alice.call('PATCH', `/storage/volumes/${id}`, { body: { active: false } });
    const unused = await alice.get(`/storage/volumes/${id}/list`);
    expect([unused.status, unused.body.code]).toEqual([409, 9069]);
    expect((await alice.call('DELETE', `/storage/volumes/${id}`, { body: {} })).status).toBe(204);
    expect((await alice.get(`/storage/volumes/${id}`)).status).toBe(404);
  });

  it('keeps a volume that files are aliases on', async () => {
    const { id } = await makeVolume({ a: 'a' });
    const project = await alice.project('Aliases');
    const { body } = await alice.post('/storage/imports', {
      source: { volume: id, location: 'a' },
      destination: { project: project.id },
    });
    await ended(alice, body);
    await alice.call('PATCH', `/storage/volumes/${id}`, { body: { active: false } });
    const kept = await alice.call('DELETE', `/storage/volumes/${id}`);
    expect([kept.status, kept.body.code]).toEqual([409, 9069]);
  });
});
