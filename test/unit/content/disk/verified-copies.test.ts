import { readdir, readlink } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VerifiedCopies } from '../../../../src/content/disk/verified-copies.ts';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { patterned } from '../fake-platform.ts';
import { BLOCK, DiskWorld, file } from './disk-world.ts';

const MIB = 1024 * 1024;
const SIZE = 4 * BLOCK;

/** Files below a directory that this process has open, removed ones included. */
async function openBelow(directory: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(`${directory}/entries`));
}

it('lets go of a file that there is no memory to check', async () => {
  const world = new DiskWorld();
  const cache = world.cache();
  const version = file(cache, 'a', SIZE);
  await cache.write(version, 0, patterned(SIZE));
  const entry = await cache.acquire(version);
  if (entry === undefined) throw new Error('not there');
  const allocate = (): never => {
    throw new Error('mmap: ENOMEM');
  };
  const memory = new MemoryPool(64 * MIB, { allocate, clock: world.clock });
  const copies = new VerifiedCopies({ disk: cache, memory, clock: world.clock });
  const { signal } = new AbortController();
  expect(await copies.of({ kind: 'file', fileId: 'a', sizeBytes: SIZE }, signal)).toBeUndefined();
  await cache.release(entry);
  await cache.evictAll();
  await waitUntil(async () => (await openBelow(world.directory)).length === 0, { timeoutMs: 5000 });
  // Held until here: what nobody refers to is closed with the garbage.
  expect(entry.place.name).toBe(version.name);
});
