import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('a directory that cannot be used is told with what to do:', () => {
  const warningOf = async (directory: string): Promise<string | undefined> => (await open(directory)).warning;

  it('its parent is missing', async () => {
    const directory = join(new DiskWorld().directory, 'not', 'there');
    expect(await warningOf(directory)).toBe(
      `no disk cache: ${directory}: the directory that is to hold it does not exist; make it, or give another --cache-dir`,
    );
  });

  it('it is a file, or in one', async () => {
    const directory = join(new DiskWorld().directory, 'file');
    await writeFile(directory, '');
    expect(await warningOf(directory)).toMatch(/file is not a directory; give another --cache-dir$/);
    expect(await warningOf(join(directory, 'cache'))).toMatch(
      /file\/cache: what is to hold it is not a directory; give another --cache-dir$/,
    );
  });

  it('nobody may make it, or its file system is read-only', async () => {
    // Of sysfs, in which even root makes none.
    expect(await warningOf('/sys/svcfs-cache')).toMatch(
      /svcfs-cache: .*(no permission|read-only).* give another --cache-dir$/,
    );
  });

  it('it holds something else', async () => {
    const { directory } = new DiskWorld();
    await writeFile(join(directory, 'thesis.txt'), 'precious');
    expect(await warningOf(directory)).toMatch(/holds thesis\.txt .*directory of its own \(--cache-dir\)$/);
  });

  it('it is of another version', async () => {
    const { directory } = new DiskWorld();
    await writeFile(join(directory, 'svcfs-cache.json'), '{"format":2}');
    expect(await warningOf(directory)).toMatch(/\(format 2, .*\); give another --cache-dir, or remove it$/);
  });
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
  expect(warning).toMatch(
    /what another user cached in .* is neither used nor evicted \(EACCES.*entries\/ab.*\(--cache-dir\)$/,
  );
});
