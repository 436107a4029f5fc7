import { expect, it, vi } from 'vitest';
import { ContentTypes } from '../../../../../src/service/storage/buckets/content-types.ts';
import type { ObjectInfo } from '../../../../../src/service/storage/objects/bucket.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const MINUTE_MS = 60_000;

function objectOf(key: string, over: Partial<ObjectInfo> = {}): ObjectInfo {
  const contentType = 'application/octet-stream';
  const told = { key, sizeBytes: 1, etag: 'e', updatedMs: 0, contentType, storageClass: 'STANDARD' };
  return { ...told, writer: undefined, ...over };
}

it('asks for each version once, when it is no longer new', async () => {
  const clock = new FakeClock(2 * MINUTE_MS);
  const types = new ContentTypes(clock);
  const ask = vi.fn(async (key: string) => `text/${key}`);
  const typesOf = async (...objects: ObjectInfo[]) =>
    (await types.complete('store bucket', objects, ask)).map(({ contentType }) => contentType);

  expect(await typesOf(objectOf('old'), objectOf('new', { updatedMs: clock.now() }))).toEqual([
    'text/old',
    'text/new',
  ]);
  expect(await typesOf(objectOf('old'), objectOf('new', { updatedMs: clock.now() }))).toHaveLength(2);
  expect(ask.mock.calls.flat()).toEqual(['old', 'new', 'new']);

  await typesOf(objectOf('old', { etag: 'another' }));
  await types.complete('another place', [objectOf('old')], ask);
  expect(ask.mock.calls.flat().slice(3)).toEqual(['old', 'old']);
});

it('leaves an object as the listing tells it when nobody answers', async () => {
  const types = new ContentTypes(new FakeClock());
  expect(await types.complete('p', [objectOf('gone')], async () => undefined)).toEqual([objectOf('gone')]);
});
