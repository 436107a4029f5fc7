import { expect, it } from 'vitest';
import type { CachedVersion } from '../../../../src/content/disk/cached-version.ts';
import type { DiskCache } from '../../../../src/content/disk/disk-cache.ts';
import { fetchThroughDisk } from '../../../../src/content/disk/fetch-through-disk.ts';
import type { FetchOptions } from '../../../../src/content/fetch-range.ts';

it('tells how much of the front is there when ranges between what the disk has come in any order', async () => {
  const holes = [
    { start: 10, end: 20 },
    { start: 30, end: 40 },
  ];
  const disk = { read: async () => holes, keep: () => undefined } as unknown as DiskCache;
  const fetches = new Map<number, { readonly options: FetchOptions; readonly done: () => void }>();
  const fetch = fetchThroughDisk({
    disk,
    version: () => ({}) as CachedVersion,
    fetch: (offset, _, options) =>
      new Promise((done) => fetches.set(offset, { options, done: () => done({}) })),
  });
  const told: number[] = [];
  const signal = new AbortController().signal;
  const whole = fetch(0, new Uint8Array(50), { signal, onProgress: (bytes) => told.push(bytes) });
  await Promise.resolve();
  await Promise.resolve();
  const came = (offset: number, bytes: number): void => fetches.get(offset)?.options.onProgress?.(bytes);
  came(30, 10);
  came(10, 4);
  came(10, 10);
  expect(told).toEqual([10, 14, 50]);
  for (const { done } of fetches.values()) done();
  await whole;
});
