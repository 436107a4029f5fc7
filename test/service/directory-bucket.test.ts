import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import tmp from 'tmp';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { DirectoryBucket } from '../../src/service/storage/buckets/directory-bucket.ts';
import { SortedLevels } from '../../src/service/storage/buckets/sorted-levels.ts';
import { run } from '../support/run.ts';

tmp.setGracefulCleanup();

function makeRoot(): string {
  return tmp.dirSync({ unsafeCleanup: true }).name;
}

function bucketAt(root: string): DirectoryBucket {
  return new DirectoryBucket(root, new SortedLevels(systemClock), systemClock);
}

function text(content: string) {
  return { kind: 'stream', stream: Readable.from([Buffer.from(content)]) } as const;
}

describe('a directory that was filled by hand', () => {
  it('is a bucket: its files are objects with a size, a time and an etag that is no MD5', async () => {
    const root = makeRoot();
    await mkdir(join(root, 'genomes'));
    await writeFile(join(root, 'genomes/ref.fa'), '>chr1\nACGT\n');
    await utimes(join(root, 'genomes/ref.fa'), 1_700_000_000, 1_700_000_000);
    const bucket = bucketAt(root);
    const page = await bucket.list({ prefix: 'genomes/', limit: 10 });
    expect(page.objects).toMatchObject([
      { key: 'genomes/ref.fa', sizeBytes: 11, updatedMs: 1_700_000_000_000 },
    ]);
    expect(page.objects[0]?.etag).toMatch(/^[0-9a-f]+-[0-9a-f]+-[0-9a-f]+$/);
    expect(await bucket.head('genomes/ref.fa')).toEqual(page.objects[0]);
  });

  it('shows another etag when a file changes', async () => {
    const root = makeRoot();
    const bucket = bucketAt(root);
    await bucket.put('k', text('put by the service'), { overwrite: false });
    const before = await bucket.head('k');
    await writeFile(join(root, 'k'), 'edited by hand');
    const after = await bucket.head('k');
    expect(after?.etag).not.toBe(before?.etag);
    expect(after).toMatchObject({ sizeBytes: 14, writer: undefined });
  });

  it('keeps the etags of the objects when it is copied with their times', async () => {
    const root = makeRoot();
    const copy = join(makeRoot(), 'copy');
    const info = await bucketAt(root).put('a/k', text('content'), {
      overwrite: false,
    });
    await run('cp', ['-a', root, copy]);
    expect(await bucketAt(copy).head('a/k')).toEqual(info);
  });

  it('leaves out what is neither file nor directory, and opening a fifo does not hang', async () => {
    const root = makeRoot();
    await run('mkfifo', [join(root, 'fifo')]);
    const bucket = bucketAt(root);
    expect((await bucket.list({ prefix: '', limit: 10 })).objects).toEqual([]);
    expect(await bucket.head('fifo')).toBeUndefined();
  });
});

describe('nothing leads out of a directory bucket', () => {
  it.each(['../secret', 'a/../../secret', '..', '/etc/passwd', 'a//b', 'nul\0', 'lone \ud800', ''])(
    'reads nothing and puts nothing under the key %j',
    async (key) => {
      const home = makeRoot();
      const root = join(home, 'bucket');
      await mkdir(root);
      await writeFile(join(home, 'secret'), 'secret');
      const bucket = bucketAt(root);
      expect(await bucket.head(key)).toBeUndefined();
      await expect(bucket.put(key, text('x'), { overwrite: true })).rejects.toMatchObject({
        kind: 'bad-key',
      });
      expect(await readdir(home)).toEqual(['bucket', 'secret']);
    },
  );

  it('follows a symbolic link inside the bucket only', async () => {
    const home = makeRoot();
    const root = join(home, 'bucket');
    await mkdir(join(root, 'real'), { recursive: true });
    await mkdir(join(home, 'outside'));
    await writeFile(join(home, 'outside/secret'), 'secret');
    await writeFile(join(root, 'real/data'), 'data');
    await symlink('real', join(root, 'inside-link'));
    await symlink('../outside', join(root, 'outside-link'));
    const bucket = bucketAt(root);
    expect((await bucket.list({ prefix: '', limit: 10 })).prefixes).toEqual(['inside-link/', 'real/']);
    expect(await bucket.head('inside-link/data')).toMatchObject({ sizeBytes: 4 });
    expect(await bucket.head('outside-link/secret')).toBeUndefined();
    expect((await bucket.list({ prefix: 'outside-link/', limit: 10 })).objects).toEqual([]);
    await expect(bucket.put('outside-link/new/k', text('x'), { overwrite: true })).rejects.toMatchObject({
      kind: 'bad-key',
    });
    expect(await readdir(join(home, 'outside'))).toEqual(['secret']);
  });

  it('hides what it notes about its objects, and refuses keys there', async () => {
    const root = makeRoot();
    const bucket = bucketAt(root);
    await bucket.put('k', text('x'), { overwrite: false });
    expect((await bucket.list({ prefix: '', limit: 10 })).prefixes).toEqual([]);
    expect((await bucket.list({ prefix: '.svcfs/', limit: 10 })).prefixes).toEqual([]);
    await expect(bucket.put('.svcfs/notes/x', text('x'), { overwrite: true })).rejects.toMatchObject({
      kind: 'bad-key',
    });
  });
});

describe('putting into a directory bucket', () => {
  it('makes a file that is given away the object itself, without a copy', async () => {
    const root = makeRoot();
    const source = join(root, '..', `given-${Date.now()}`);
    await writeFile(source, 'content');
    const inode = (await stat(source)).ino;
    const bucket = bucketAt(root);
    await bucket.put('k', { kind: 'file', path: source, givenAway: true }, { overwrite: false });
    expect((await stat(join(root, 'k'))).ino).toBe(inode);
    await run('rm', [source]);
    const object = await bucket.open('k');
    expect(object && (await buffer(object.stream())).toString()).toBe('content');
  });

  it('refuses a key below an object and a key that is a folder', async () => {
    const bucket = bucketAt(makeRoot());
    await bucket.put('a', text('x'), { overwrite: false });
    await bucket.put('d/e', text('x'), { overwrite: false });
    const refusal = { kind: 'bad-key' };
    await expect(bucket.put('a/b', text('x'), { overwrite: true })).rejects.toMatchObject(refusal);
    await expect(bucket.put('d', text('x'), { overwrite: true })).rejects.toMatchObject(refusal);
    await expect(bucket.put('n'.repeat(256), text('x'), { overwrite: true })).rejects.toMatchObject(refusal);
  });

  it('leaves nothing behind in its scratch directory', async () => {
    const root = makeRoot();
    const bucket = bucketAt(root);
    await bucket.put('k', text('x'), { overwrite: false });
    await bucket.put('k', text('y'), { overwrite: false }).catch(() => undefined);
    expect(await readdir(join(root, '.svcfs/incoming'))).toEqual([]);
  });
});

describe('a large folder of a directory bucket', () => {
  it('is listed page by page with every change made meanwhile', async () => {
    const root = makeRoot();
    const bucket = bucketAt(root);
    await mkdir(join(root, 'd'));
    await Promise.all(Array.from({ length: 300 }, (_, i) => writeFile(join(root, 'd', `k${1000 + i}`), '')));
    await utimes(join(root, 'd'), 1_700_000_000, 1_700_000_000);
    const first = await bucket.list({ prefix: 'd/', limit: 100 });
    const again = await bucket.list({ prefix: 'd/', limit: 100 });
    expect(again).toEqual(first);
    await writeFile(join(root, 'd', 'k1100b'), '');
    const second = await bucket.list({ prefix: 'd/', limit: 100, continuation: first.continuation });
    expect(second.objects.slice(0, 2).map(({ key }) => key)).toEqual(['d/k1100', 'd/k1100b']);
  });
});
