import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  type BlobStore,
  MissingPartError,
  type PartName,
  type UploadTarget,
} from '../../src/service/storage/blobs/blob-store.ts';

export interface BlobStoreFixture {
  readonly store: BlobStore;
  /** Whether parts that a completion does not name are left out; else it is refused. */
  readonly leavesPartsOut: boolean;
  /** Sends a part the way a client would, to its address. */
  sendPart(target: UploadTarget, partNumber: number, bytes: Uint8Array): Promise<PartName>;
}

const PART = 5 * 1024 * 1024;
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');
const part = (seed: number, length = PART): Buffer => Buffer.alloc(length, `${seed}:${length};`);

/** The tests that every blob store must pass. */
export function blobStoreSuite(fixture: () => BlobStoreFixture): void {
  const read = async (key: string, range?: { first: number; last: number }): Promise<Buffer> => {
    const blob = await fixture().store.open(key);
    if (blob === undefined) throw new Error('no such blob');
    return buffer(blob.stream(range));
  };

  const write = (text: string) => fixture().store.write(Readable.from([Buffer.from(text)]));

  test('a blob written in one piece reads back, and tells size and MD5', async () => {
    const blob = await write('hello');
    expect(blob).toMatchObject({ sizeBytes: 5, etag: md5(Buffer.from('hello')) });
    expect((await read(blob.key)).toString()).toBe('hello');
  });

  test('an empty blob is a blob', async () => {
    const blob = await fixture().store.write(Readable.from([]));
    expect(blob.sizeBytes).toBe(0);
    expect(await read(blob.key)).toHaveLength(0);
  });

  test('past the greatest size allowed nothing is kept', async () => {
    const { store } = fixture();
    await expect(store.write(Readable.from([Buffer.from('hello')]), 4)).rejects.toThrow();
  });

  test('a source that breaks off is no blob', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('broken');
      })(),
    );
    await expect(fixture().store.write(broken)).rejects.toThrow('broken');
  });

  test('parts become a blob in the order named, with ranges across their borders', async () => {
    const { store, sendPart } = fixture();
    const target = await store.beginUpload();
    const parts = [part(1), part(2, PART + 3), part(3, 10)];
    const third = await sendPart(target, 3, parts[2] ?? Buffer.alloc(0));
    const first = await sendPart(target, 1, parts[0] ?? Buffer.alloc(0));
    const second = await sendPart(target, 2, parts[1] ?? Buffer.alloc(0));
    const blob = await store.completeUpload(target, [first, second, third]);
    const whole = Buffer.concat(parts);
    expect(blob.sizeBytes).toBe(whole.length);
    expect(blob.etag).toMatch(/^[0-9a-f]{32}-3$/);
    expect(md5(await read(blob.key))).toBe(md5(whole));
    const range = { first: PART - 2, last: PART + 1 };
    expect(await read(blob.key, range)).toEqual(whole.subarray(range.first, range.last + 1));
    const last = { first: whole.length - 1, last: whole.length - 1 };
    expect(await read(blob.key, last)).toEqual(whole.subarray(-1));
  });

  test('a single part is a blob, be it empty', async () => {
    const { store, sendPart } = fixture();
    for (const bytes of [Buffer.from('only'), Buffer.alloc(0)]) {
      const target = await store.beginUpload();
      const blob = await store.completeUpload(target, [await sendPart(target, 1, bytes)]);
      expect(blob).toMatchObject({ sizeBytes: bytes.length, etag: md5(bytes) });
      expect(await read(blob.key)).toEqual(bytes);
    }
  });

  test('a part is found by number and ETag', async () => {
    const { store, sendPart } = fixture();
    const target = await store.beginUpload();
    const sent = await sendPart(target, 2, Buffer.from('two'));
    const notSent = [
      { ...sent, partNumber: 1 },
      { ...sent, etag: md5(Buffer.from('x')) },
      { ...sent, etag: '../../etc/passwd' },
    ];
    expect(await store.partSizes(target, [...notSent, sent])).toEqual([undefined, undefined, undefined, 3]);
    for (const part of notSent) expect(await store.partSizes(target, [part])).toEqual([undefined]);
    expect(await store.partSizes(target, [sent])).toEqual([3]);
  });

  test('a part sent again replaces the one before', async () => {
    const { store, sendPart } = fixture();
    const target = await store.beginUpload();
    const old = await sendPart(target, 1, Buffer.from('old'));
    const sent = await sendPart(target, 1, Buffer.from('new'));
    await expect(store.completeUpload(target, [old])).rejects.toThrow(MissingPartError);
    const blob = await store.completeUpload(target, [sent]);
    expect((await read(blob.key)).toString()).toBe('new');
  });

  test('completing again, or twice at once, gives the same blob', async () => {
    const { store, sendPart } = fixture();
    const target = await store.beginUpload();
    const parts = [await sendPart(target, 1, part(1)), await sendPart(target, 2, part(2, 5))];
    const [one, two] = await Promise.all([
      store.completeUpload(target, parts),
      store.completeUpload(target, parts),
    ]);
    expect(two).toEqual(one);
    expect(await store.completeUpload(target, parts)).toEqual(one);
  });

  test('parts that are not named are not in the blob', async () => {
    const { store, sendPart, leavesPartsOut } = fixture();
    const target = await store.beginUpload();
    const first = await sendPart(target, 1, part(1));
    await sendPart(target, 3, Buffer.from('unnamed'));
    const second = await sendPart(target, 2, Buffer.from('end'));
    const completion = store.completeUpload(target, [first, second]);
    if (leavesPartsOut) expect((await completion).sizeBytes).toBe(PART + 3);
    else await expect(completion).rejects.toThrow('part 3 was sent but not reported');
  });

  test('an aborted upload has no parts; aborting again does no harm', async () => {
    const { store, sendPart } = fixture();
    const target = await store.beginUpload();
    const sent = await sendPart(target, 1, Buffer.from('x'));
    await store.abortUpload(target);
    await store.abortUpload(target);
    expect(await store.partSizes(target, [sent])).toEqual([undefined]);
    await expect(store.completeUpload(target, [sent])).rejects.toThrow();
  });

  test('a removed blob is gone; removing again does no harm', async () => {
    const { store } = fixture();
    const { key } = await write('x');
    await store.remove(key);
    await store.remove(key);
    expect(await store.open(key)).toBeUndefined();
  });

  test('a blob that is had alone is the same; one that is gone is left alone', async () => {
    const { store } = fixture();
    const { key } = await write('bytes');
    await store.unshare(key);
    expect((await read(key)).toString()).toBe('bytes');
    await store.remove(key);
    await store.unshare(key);
    expect(await store.open(key)).toBeUndefined();
  });

  test('an open blob can be closed without reading it', async () => {
    const { key } = await write('x');
    const blob = await fixture().store.open(key);
    await blob?.close();
    expect((await read(key)).toString()).toBe('x');
  });
}
