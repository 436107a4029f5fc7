import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import tmp from 'tmp';
import { systemClock } from '../../../src/lib/clock.ts';
import { DirectoryBucket } from '../../../src/service/storage/buckets/directory-bucket.ts';
import { SortedLevels } from '../../../src/service/storage/buckets/sorted-levels.ts';
import { bucketSuite } from './bucket-suite.ts';

tmp.setGracefulCleanup();

const home = tmp.dirSync({ unsafeCleanup: true }).name;
const levels = new SortedLevels(systemClock);
let made = 0;

async function make(): Promise<DirectoryBucket> {
  made += 1;
  const root = join(home, String(made));
  await mkdir(root);
  return new DirectoryBucket(root, levels, systemClock);
}

bucketSuite({
  name: 'directory',
  make,
  missing: async () => new DirectoryBucket(join(home, 'never-made'), levels, systemClock),
  keepsOpenObjects: true,
});
