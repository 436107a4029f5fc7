import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type OpenedDiskCache, openDiskCache } from '../../../../src/content/disk/open-disk-cache.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { DiskWorld, ENDPOINT } from './disk-world.ts';

async function open(directory: string): Promise<OpenedDiskCache> {
  const opened = await openDiskCache({
    directory,
    endpoint: ENDPOINT,
    clock: systemClock,
    sizeBytes: undefined,
    minFreeBytes: 0,
    writeBehindBytes: 0,
  });
  onTestFinished(() => opened.cache?.close());
  return opened;
}

it.each(['', 'null', '{}'])('says that it does not know the cache whose marker is %j', async (marker) => {
  const { directory } = new DiskWorld();
  await open(directory);
  await writeFile(join(directory, 'svcfs-cache.json'), marker);
  expect((await open(directory)).warning).toMatch(/of another version of svcfs \(format unknown/);
});

it('warns of a cache with folders that we may not use, and uses the others', async () => {
  const { directory } = new DiskWorld();
  expect((await open(directory)).warning).toBeUndefined();
  const entries = join(directory, 'entries');
  await mkdir(entries);
  // Even root may enter no file.
  await writeFile(join(entries, 'ab'), '');
  const { cache, warning } = await open(directory);
  expect(cache).toBeDefined();
  expect(warning).toMatch(/what another user cached in .* is neither used nor evicted \(EACCES.*entries\/ab/);
});
