import { constants } from 'node:os';
import type { Done, Operations, Stat, Statfs } from 'fuse-native';
import { beforeEach, describe, expect, it } from 'vitest';
import { pathOperations } from '../../../src/fuse/path-operations.ts';
import { errnoNumber } from '../../../src/lib/errno.ts';
import { millisecondsOf } from '../../../src/lib/nanoseconds.ts';
import { NEVER_ABORTED } from '../../../src/lib/shared-signals.ts';
import { FsError } from '../../../src/vfs/errors/fs-error.ts';
import type { NodeId } from '../../../src/vfs/file-system.ts';
import { MemoryFs } from '../../support/memory-fs.ts';

/** fuse-native passes and takes numbers of 32 bits, and times in milliseconds, all unsigned. */
const MOST = 2 ** 32 - 1;
const CONTEXT = { uid: 0, gid: 0, pid: 0, signal: NEVER_ABORTED };

let fs: MemoryFs;
let node: NodeId;
let operations: Operations;
beforeEach(() => {
  fs = new MemoryFs();
  node = fs.place('a', Buffer.from('text'));
  operations = pathOperations(fs, () => constants.errno.EIO);
});

function answered<T>(call: (done: Done<T>) => void): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error === 0 ? resolve(value) : reject(new Error(`answered ${error}`))));
  });
}

const statOf = async (): Promise<Stat | undefined> => answered((done) => operations.getattr('/a', done));

it('tells no more room than the package can count', async () => {
  const statistics = await answered<Statfs>((done) => operations.statfs('/', done));
  expect(statistics).toMatchObject({ blocks: MOST, bfree: MOST, bavail: MOST, files: MOST, ffree: MOST });
});

describe('a time before 1970', () => {
  it.each([-3600, -86_400 * 365 * 30])('is set to %i seconds, but for the last two', async (seconds) => {
    const passed = 2 ** 64 + seconds * 1000;
    await answered<undefined>((done) => operations.utimens('/a', passed, passed, done));
    const { attributes } = await fs.getattr(node, undefined, CONTEXT);
    expect(Math.abs(millisecondsOf(attributes.mtimeNs) - seconds * 1000)).toBeLessThanOrEqual(2048);
    expect((await statOf())?.mtime.getTime()).toBe(0);
  });
});

describe('a directory that is gone', () => {
  const errnoOf = (error: unknown): number => (error instanceof FsError ? errnoNumber(error.errno) : 0);

  it('is stale to who reads it, and never empty', async () => {
    const { readdir, opendir } = pathOperations(fs, errnoOf);
    const stale = `answered ${-constants.errno.ESTALE}`;
    await expect(answered((done) => readdir('/gone', done))).rejects.toThrow(stale);
    await expect(answered((done) => opendir('/gone', 0, done))).rejects.toThrow(stale);
  });
});
