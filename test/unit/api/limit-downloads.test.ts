import { expect, it } from 'vitest';
import type { StorageClient } from '../../../src/api/api.ts';
import { limitDownloads } from '../../../src/api/storage/limit-downloads.ts';
import { Throttle } from '../../../src/lib/throttle.ts';
import { FakeClock } from '../../support/fake-clock.ts';

it('ranges come no faster than the limit, all together', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const askedAt: number[] = [];
  const storage: StorageClient = {
    getRange: async () => {
      askedAt.push(clock.now() - startMs);
      return { etag: undefined, objectSizeBytes: 1000 };
    },
    putPart: async () => ({ etag: '', md5: undefined }),
    close: async () => {},
  };
  const limited = limitDownloads(storage, new Throttle(100, clock));
  const ranges = ['a', 'b', 'c'].map((url) => limited.getRange(url, { offset: 0, into: new Uint8Array(50) }));
  await clock.advance(10_000);
  await Promise.all(ranges);
  expect(askedAt).toEqual([0, 500, 1000]);
});
