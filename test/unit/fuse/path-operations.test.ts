import { constants } from 'node:os';
import type { Done, Operations, Statfs } from 'fuse-native';
import { beforeEach, expect, it } from 'vitest';
import { pathOperations } from '../../../src/fuse/path-operations.ts';
import { MemoryFs } from '../../support/memory-fs.ts';

const MOST = 2 ** 32 - 1;

let operations: Operations;
beforeEach(() => {
  operations = pathOperations(new MemoryFs(), () => constants.errno.EIO);
});

function answered<T>(call: (done: Done<T>) => void): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error === 0 ? resolve(value) : reject(new Error(`answered ${error}`))));
  });
}

it('tells no more room than the package can count', async () => {
  const statistics = await answered<Statfs>((done) => operations.statfs('/', done));
  expect(statistics).toMatchObject({ blocks: MOST, bfree: MOST, bavail: MOST, files: MOST, ffree: MOST });
});
