/** Keys of a store are opaque: the service tells of each as it is, and gives its bytes. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AnyKeys } from '../support/any-keys.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

const KEYS = [
  'v//only',
  'w/x',
  'w//x',
  '/lead',
  'trail/',
  '.',
  '..',
  'a',
  'a/b',
  'p/../a',
  'p/./a',
  '//',
  'x%2Fy',
];

let service: TestService;
let alice: TestUser;
beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
});
afterAll(() => service?.stop());

async function volume(name: string, prefix: string, keys: readonly string[]): Promise<string> {
  const { id } = await TestVolume.make(service, alice, { name, service: { prefix } });
  vi.spyOn(service.services.buckets, 'open').mockResolvedValue(new AnyKeys(keys));
  return id;
}

/** All locations of a volume, one level after the other. */
async function walk(id: string, prefix = ''): Promise<string[]> {
  const { body } = await alice.get(`/storage/volumes/${id}/list?prefix=${encodeURIComponent(prefix)}`);
  const below = await Promise.all(body.prefixes.map((level: { prefix: string }) => walk(id, level.prefix)));
  return [...body.items.map(({ location }: { location: string }) => location), ...below.flat()];
}

describe.each([
  ['whole', '', KEYS],
  ['prefixed', '/in//deep/', [...KEYS.map((key) => `in/deep/${key}`), 'a', 'in/a']],
])('a volume that is %s', (name, prefix, keys) => {
  let id: string;
  const keyOf = (location: string): string => `${prefix === '' ? '' : 'in/deep/'}${location}`;
  beforeAll(async () => {
    id = await volume(name, prefix, keys);
  });

  it('lists each key once, by the prefix as it is asked for', async () => {
    expect((await walk(id)).sort()).toEqual([...KEYS].sort());
  });

  it.each(KEYS)('has an object at %s, with the bytes of that key', async (location) => {
    const query = `location=${encodeURIComponent(location)}`;
    const { body } = await alice.get(`/storage/volumes/${id}/object?${query}`);
    expect(body).toMatchObject({ location, metadata: { size: Buffer.byteLength(keyOf(location)) } });
    const info = await alice.get(`/storage/volumes/${id}/object/download_info?${query}`);
    expect(await (await fetch(info.body.url)).text()).toBe(keyOf(location));
  });

  it.each(['W/x', 'w///x', 'lead', 'trail', 'trail//', '../a', './a'])('has none at %s', async (location) => {
    const answer = await alice.get(`/storage/volumes/${id}/object?location=${encodeURIComponent(location)}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 9105 } });
  });

  it('has a job import the path-style name of a location', async () => {
    const { root_folder: parent } = (await alice.project(`P ${name}`)) as { root_folder: string };
    const source = { volume: id, location: 'w//x' };
    const job = await runToEnd(alice, '/storage/imports', { source, destination: { parent, name: 'x' } });
    expect(job).toMatchObject({ state: 'COMPLETED' });
    const { body } = await alice.get(`/files/${job.result.id}?fields=_all`);
    expect(body.storage).toMatchObject({ location: 'w/x' });
    expect(await (await alice.download(job.result.id)).text()).toMatch(/w\/x$/);
  });
});
