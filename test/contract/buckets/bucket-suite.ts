import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import tmp from 'tmp';
import { describe, expect, it } from 'vitest';
import type { Bucket, ListPage, PutOptions } from '../../../src/service/storage/objects/bucket.ts';
import type { S3Object } from '../../../src/service/storage/objects/s3-object.ts';

export interface BucketKind {
  readonly name: string;
  /** An empty bucket. */
  readonly make: () => Promise<Bucket>;
  /** One that does not exist. */
  readonly missing: () => Promise<Bucket>;
  /** Whether an object that is open stays readable when it is replaced. */
  readonly keepsOpenObjects: boolean;
}

/** The promises of every kind of bucket. */
export function bucketSuite({ name, make, missing, keepsOpenObjects }: BucketKind): void {
  describe(`${name} bucket`, () => {
    describe('put and read', () => {
      it('answers what was put, with its MD5 as etag', async () => {
        const bucket = await make();
        const info = await putText(bucket, 'a/b.txt', 'hello');
        expect(info).toMatchObject({ key: 'a/b.txt', sizeBytes: 5, etag: md5('hello') });
        expect(await bucket.head('a/b.txt')).toEqual(info);
        expect(await readText(bucket, 'a/b.txt')).toBe('hello');
      });

      it('answers a range with both ends included', async () => {
        const bucket = await make();
        await putText(bucket, 'k', '0123456789');
        expect(await readText(bucket, 'k', { first: 3, last: 5 })).toBe('345');
        expect(await readText(bucket, 'k', { first: 9, last: 9 })).toBe('9');
      });

      it('holds empty objects', async () => {
        const bucket = await make();
        await putText(bucket, 'empty', '');
        expect(await bucket.head('empty')).toMatchObject({ sizeBytes: 0, etag: md5('') });
        expect(await readText(bucket, 'empty')).toBe('');
      });

      it('takes a file of the service and leaves it in its place', async () => {
        const bucket = await make();
        const path = await fileHolding('from a file');
        await bucket.put('f', { kind: 'file', path, givenAway: false }, { overwrite: false });
        expect(await readText(bucket, 'f')).toBe('from a file');
        await writeFile(path, 'changed in place');
        expect(await readText(bucket, 'f')).toBe('from a file');
      });

      it('takes a file that is given away, with a known MD5', async () => {
        const bucket = await make();
        const path = await fileHolding('given');
        const source = { kind: 'file', path, givenAway: true, md5: md5('given') } as const;
        expect(await bucket.put('g', source, { overwrite: false })).toMatchObject({ etag: md5('given') });
        expect(await readText(bucket, 'g')).toBe('given');
      });

      it('takes an object of another store', async () => {
        const bucket = await make();
        const place = { client: {}, bucket: 'elsewhere', stores: ['https://s3.example.org'] };
        const object = { place, key: 'o', sizeBytes: 11 } as unknown as S3Object;
        const stream = () => Readable.from([Buffer.from('from afar..')]);
        await bucket.put('o', { kind: 'object', object, stream }, { overwrite: false });
        expect(await readText(bucket, 'o')).toBe('from afar..');
      });

      it('keeps content type, storage class and writer', async () => {
        const bucket = await make();
        const told = { contentType: 'text/vcf', storageClass: 'STANDARD_IA', writer: 'job-7' };
        await putText(bucket, 'k', 'x', { overwrite: false, ...told });
        expect(await bucket.head('k')).toMatchObject(told);
      });

      it('has nothing under a key that was never put, nor under a folder of keys', async () => {
        const bucket = await make();
        await putText(bucket, 'a/b', 'x');
        expect(await bucket.head('a')).toBeUndefined();
        expect(await bucket.head('a/c')).toBeUndefined();
        expect(await bucket.head('a/b/c')).toBeUndefined();
        expect(await bucket.open('nothing')).toBeUndefined();
      });

      it('keeps keys with odd characters apart and gives them back unchanged', async () => {
        const bucket = await make();
        const keys = [
          'ä ö.txt',
          'a%2Fb',
          'q?x=1&y',
          '\u{1f9ec}/reads',
          '~',
          'new\nline',
          '\ufeffmark',
          ' lead',
          'trail ',
          '...',
          '-rf',
        ];
        for (const key of keys) await putText(bucket, key, key);
        for (const key of keys) expect(await readText(bucket, key)).toBe(key);
        const { objects, prefixes } = await bucket.list({ prefix: '', limit: 100 });
        expect(
          [...objects.map(({ key }) => key), ...prefixes.map((prefix) => `${prefix}reads`)].sort(),
        ).toEqual(keys.toSorted());
      });
    });

    describe('overwriting', () => {
      it('refuses a taken key unless told to overwrite', async () => {
        const bucket = await make();
        await putText(bucket, 'k', 'old');
        await expect(putText(bucket, 'k', 'new')).rejects.toMatchObject({ kind: 'exists' });
        expect(await readText(bucket, 'k')).toBe('old');
        expect(await bucket.head('k')).toMatchObject({ etag: md5('old') });
      });

      it('replaces the whole object, and who has the old one open gets all of it or is refused', async () => {
        const bucket = await make();
        await putText(bucket, 'k', 'the old content');
        const old = await bucket.open('k');
        await putText(bucket, 'k', 'new', { overwrite: true });
        expect(await readText(bucket, 'k')).toBe('new');
        expect(await bucket.head('k')).toMatchObject({ sizeBytes: 3, etag: md5('new') });
        const read = old && buffer(old.stream()).then(String, ({ kind }) => kind);
        expect(await read).toBe(keepsOpenObjects ? 'the old content' : 'refused');
      });

      it('lets exactly one of many puts at once take a key', async () => {
        const bucket = await make();
        const puts = await Promise.allSettled(
          Array.from({ length: 8 }, (_, i) => putText(bucket, 'k', `content ${i}`)),
        );
        const winners = puts.flatMap((put) => (put.status === 'fulfilled' ? [put.value] : []));
        expect(winners).toHaveLength(1);
        expect(await bucket.head('k')).toEqual(winners[0]);
      });

      it('leaves no trace of a put that was broken off', async () => {
        const bucket = await make();
        const broken = Readable.from(
          (function* () {
            yield Buffer.from('half');
            throw new Error('the source broke');
          })(),
        );
        await expect(
          bucket.put('k', { kind: 'stream', stream: broken }, { overwrite: false }),
        ).rejects.toThrow('the source broke');
        expect(await bucket.head('k')).toBeUndefined();
        await putText(bucket, 'k', 'whole');
        expect(await readText(bucket, 'k')).toBe('whole');
      });
    });

    describe('listing', () => {
      it('folds deeper keys into prefixes, one level at a time', async () => {
        const bucket = await holding(['top.txt', 'in/a.txt', 'in/b.txt', 'in/sub/c.txt', 'other/d']);
        expect(names(await bucket.list({ prefix: '', limit: 100 }))).toEqual(['top.txt', 'in/', 'other/']);
        expect(names(await bucket.list({ prefix: 'in/', limit: 100 }))).toEqual([
          'in/a.txt',
          'in/b.txt',
          'in/sub/',
        ]);
        expect(names(await bucket.list({ prefix: 'in/sub/', limit: 100 }))).toEqual(['in/sub/c.txt']);
      });

      it('tells content types when asked', async () => {
        const bucket = await make();
        await putText(bucket, 'a.vcf', 'x', { overwrite: false, contentType: 'text/vcf' });
        await putText(bucket, 'b', 'y');
        const types = async () =>
          (await bucket.list({ prefix: '', limit: 10, contentTypes: true })).objects.map(
            ({ contentType }) => contentType,
          );
        expect(await types()).toEqual(['text/vcf', 'application/octet-stream']);
        await putText(bucket, 'b', 'y', { overwrite: true, contentType: 'text/plain' });
        expect(await types()).toEqual(['text/vcf', 'text/plain']);
      });

      it('takes a prefix that ends within a name', async () => {
        const bucket = await holding(['run1.bam', 'run2.bam', 'ref.fa', 'run/x', 'a/run3', 'a/nun']);
        expect(names(await bucket.list({ prefix: 'run', limit: 100 }))).toEqual([
          'run1.bam',
          'run2.bam',
          'run/',
        ]);
        expect(names(await bucket.list({ prefix: 'a/r', limit: 100 }))).toEqual(['a/run3']);
      });

      it('is empty for a prefix that no key has', async () => {
        const bucket = await holding(['a/b']);
        for (const prefix of ['x/', 'a/b/', '/', 'a//', '../', './']) {
          expect(await bucket.list({ prefix, limit: 10 })).toEqual({
            objects: [],
            prefixes: [],
            continuation: undefined,
          });
        }
      });

      it('orders objects and prefixes together by bytes, over pages of any size, each exactly once', async () => {
        const keys = ['a', 'a-b', 'a.b', 'aa/x', 'a!/y', 'B', 'é', 'z', '\uffee', '\u{10000}', '~/k', '0'];
        const bucket = await holding(keys);
        const expected = keys
          .map((key) => (key.includes('/') ? key.slice(0, key.indexOf('/') + 1) : key))
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        for (const limit of [1, 2, 3, 5, 12, 100]) {
          const seen: string[] = [];
          let continuation: string | undefined;
          do {
            const page = await bucket.list({ prefix: '', limit, continuation });
            const found = names(page);
            expect(found.length).toBeLessThanOrEqual(limit);
            seen.push(...found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
            continuation = page.continuation;
          } while (continuation !== undefined);
          expect(seen).toEqual(expected);
        }
      });

      it('goes on after the last key when others were put before it meanwhile', async () => {
        const bucket = await holding(['b', 'c', 'd']);
        const first = await bucket.list({ prefix: '', limit: 2 });
        await putText(bucket, 'a', 'late');
        const second = await bucket.list({ prefix: '', limit: 2, continuation: first.continuation });
        expect(names(second)).toEqual(['d']);
        expect(second.continuation).toBeUndefined();
      });
    });

    it('says that it does not exist, whatever is asked', async () => {
      const bucket = await missing();
      const refusal = { kind: 'no-bucket' };
      await expect(bucket.head('k')).rejects.toMatchObject(refusal);
      await expect(bucket.list({ prefix: '', limit: 1 })).rejects.toMatchObject(refusal);
      await expect(putText(bucket, 'k', 'x')).rejects.toMatchObject(refusal);
    });
  });

  async function holding(keys: readonly string[]): Promise<Bucket> {
    const bucket = await make();
    for (const key of keys) await putText(bucket, key, key);
    return bucket;
  }
}

function putText(bucket: Bucket, key: string, text: string, options: PutOptions = { overwrite: false }) {
  return bucket.put(key, { kind: 'stream', stream: Readable.from([Buffer.from(text)]) }, options);
}

async function readText(
  bucket: Bucket,
  key: string,
  range?: { first: number; last: number },
): Promise<string> {
  const object = await bucket.open(key);
  if (object === undefined) throw new Error(`no object ${key}`);
  return (await buffer(object.stream(range))).toString();
}

function names({ objects, prefixes }: ListPage): string[] {
  return [...objects.map(({ key }) => key), ...prefixes];
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

async function fileHolding(text: string): Promise<string> {
  const path = join(tmp.dirSync({ unsafeCleanup: true }).name, 'source');
  await writeFile(path, text);
  return path;
}
