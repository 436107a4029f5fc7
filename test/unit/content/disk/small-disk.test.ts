import { statfs } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { waitUntil } from '../../../support/wait-until.ts';
import { patterned } from '../fake-platform.ts';
import { DiskWorld, file } from './disk-world.ts';

vi.mock('node:fs/promises', async (original) => ({ ...(await original<object>()), statfs: vi.fn() }));

const MIB = 1024 * 1024;
const MIN_FREE = 20 * MIB;
const INDEX_BYTES = 8192;

it('a disk with little more than is to be left free is looked at in time', async () => {
  const world = new DiskWorld();
  const diskBytes = MIN_FREE + 4 * MIB;
  const freeBytes = async (): Promise<number> =>
    diskBytes - (await world.files('data')).length * (MIB + INDEX_BYTES);
  vi.mocked(statfs).mockImplementation(
    async () => ({ bavail: await freeBytes(), bsize: 1 }) as Awaited<ReturnType<typeof statfs>> as never,
  );
  const cache = world.cache({ minFreeBytes: MIN_FREE });
  await cache.measure();
  for (let id = 0; id < 4; id += 1) await cache.write(file(cache, `${id}`, MIB), 0, patterned(MIB));
  await waitUntil(() => cache.statistics.evictedBytes > 0);
  expect(await freeBytes()).toBeGreaterThanOrEqual(MIN_FREE);
});
