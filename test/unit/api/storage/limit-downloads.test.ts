import { expect, it } from 'vitest';
import { limitDownloads } from '../../../../src/api/storage/limit-downloads.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { Throttle } from '../../../../src/lib/throttle.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const KIB = 1024;

it('ranges come no faster than the limit, all together, and each bit by bit', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const asked: (readonly [atMs: number, offset: number, bytes: number, etag: string | undefined])[] = [];
  const storage: StorageClient = {
    getRange: async (_url, { offset, into, expectedEtag, onProgress }) => {
      asked.push([clock.now() - startMs, offset / KIB, into.length / KIB, expectedEtag]);
      onProgress?.(into.length);
      return { etag: 'v1', objectSizeBytes: 1000 };
    },
    putPart: async () => ({ etag: '', md5: undefined }),
    connectAhead: () => {},
    close: async () => {},
  };
  const limited = limitDownloads(storage, new Throttle(64 * KIB, clock));
  const progress: number[] = [];
  const onProgress = (bytes: number): number => progress.push(bytes / KIB);
  const ranges = [
    limited.getRange('a', { offset: 10 * KIB, into: new Uint8Array(80 * KIB), onProgress }),
    limited.getRange('b', { offset: 0, into: new Uint8Array(32 * KIB) }),
  ];
  await clock.advance(10_000);
  expect(await Promise.all(ranges)).toEqual(Array(2).fill({ etag: 'v1', objectSizeBytes: 1000 }));
  expect(asked).toEqual([
    [0, 10, 32, undefined],
    [450, 0, 32, undefined],
    [950, 42, 32, 'v1'],
    [1450, 74, 16, 'v1'],
  ]);
  expect(progress).toEqual([32, 64, 80]);
});
