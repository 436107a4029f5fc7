import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../src/api/errors.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { type FakeObject, type FakePlatform, patterned } from '../fake-platform.ts';
import { bytesFetched, bytesOf, fileVersion, forever, KIB, MIB, readAll, setup } from './reader-world.ts';

/** The platform's own bytes of its only file are gone; its links lead to the object. */
function exportTo(platform: FakePlatform, object: FakeObject): void {
  const place = { volume: 'alice/bucket', location: 'a.bam' };
  platform.objects.set(`${place.volume}/${place.location}`, object);
  for (const file of platform.files.values())
    file.record = { ...file.record, storage: { kind: 'volume', ...place } };
  const links = platform.count('downloadInfo');
  platform.on = (call) => {
    if (call.startsWith('getRange') && platform.count('downloadInfo') === links)
      throw new StorageError('missing', 'no such blob', { status: 404 });
  };
}

describe('links', () => {
  it('are asked for once, and again shortly before they expire', async () => {
    const { platform, reader, clock } = setup();
    const handle = reader.open(fileVersion(platform, patterned(8 * MIB)));
    await Promise.all([0, 2, 4].map((at) => bytesOf(handle.read(at * MIB, 100, forever))));
    expect(platform.count('downloadInfo')).toBe(1);
    await clock.advance(2 * 60 * 60 * 1000);
    await bytesOf(handle.read(6 * MIB, 100, forever));
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('are asked for again a minute before the end that they tell', async () => {
    const { platform, reader, clock } = setup();
    platform.linkQuery = `?expires=${clock.now() / 1000 + 600}`;
    const handle = reader.open(fileVersion(platform, patterned(8 * MIB)));
    for (const [minutes, links] of [
      [0, 1],
      [8, 1],
      [2, 2],
    ] as const) {
      await clock.advance(minutes * 60_000);
      await bytesOf(handle.read(links * 2 * MIB + minutes * 256 * KIB, 100, forever));
      expect(platform.count('downloadInfo')).toBe(links);
    }
  });

  it('that are refused in the middle of a range are renewed for the rest of it', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(256 * KIB);
    const handle = reader.open(fileVersion(platform, bytes));
    platform.pieceBytes = 64 * KIB;
    platform.on = (call) => {
      if (call !== `piece ${64 * KIB}` || platform.count('downloadInfo') > 1) return;
      throw new StorageError('refused', 'expired', { status: 403 });
    };
    expect(await bytesOf(handle.read(0, 256 * KIB, forever))).toEqual(bytes);
    expect(platform.ranges.map(({ offset }) => offset)).toEqual([0, 128 * KIB]);
  });

  it('whose keys have ended are renewed: S3 says 400 then', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(64 * KIB);
    const handle = reader.open(fileVersion(platform, bytes));
    platform.on = (call) => {
      if (!call.startsWith('getRange') || platform.count('downloadInfo') > 1) return;
      throw new StorageError('failed', 'the store answered with status 400', { status: 400 });
    };
    expect(await bytesOf(handle.read(0, 64 * KIB, forever))).toEqual(bytes);
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('of a file that was exported meanwhile are renewed: its bytes are where the new one leads', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(4 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    await bytesOf(handle.read(0, 100, forever));
    exportTo(platform, { bytes, etag: 'one' });
    const reads = [1, 2, 3].map((at) => bytesOf(handle.read(at * MIB, 100, forever)));
    expect(await Promise.all(reads)).toEqual([1, 2, 3].map((at) => bytes.subarray(at * MIB, at * MIB + 100)));
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('of a file that is gone tell that, once it is asked for', async () => {
    const { platform, reader } = setup();
    const version = fileVersion(platform, patterned(4 * MIB));
    const handle = reader.open(version);
    await bytesOf(handle.read(0, 100, forever));
    platform.on = (call) => {
      if (call.startsWith('getRange')) throw new StorageError('missing', 'no such blob', { status: 404 });
    };
    platform.files.clear();
    await expect(bytesOf(handle.read(MIB, 100, forever))).rejects.toMatchObject({ kind: 'changed' });
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('that are long in coming keep nothing that was to be fetched ahead for who is gone', async () => {
    const { platform, reader, memory } = setup();
    const link = deferred();
    platform.on = (call) => (call === 'downloadInfo' ? link.promise : undefined);
    const handle = reader.open(fileVersion(platform, patterned(64 * MIB)));
    const gone = new AbortController();
    const reading = bytesOf(handle.read(0, 256 * KIB, gone));
    await waitUntil(() => memory.lentBytes > MIB);
    gone.abort(new Error('interrupted'));
    await expect(reading).rejects.toThrow('interrupted');
    handle.close();
    await waitUntil(() => memory.lentBytes <= 256 * KIB);
    link.resolve();
  });

  it('are asked for before the first read, once, and for an empty file never', async () => {
    const { platform, reader } = setup();
    const handle = reader.open(fileVersion(platform, patterned(MIB)));
    void handle.prepare();
    await waitUntil(() => platform.count('downloadInfo') === 1);
    expect(platform.ranges).toEqual([]);
    await bytesOf(handle.read(0, MIB, forever));
    handle.close();
    void reader.open(handle.version).prepare();
    void reader.open(fileVersion(platform, Buffer.alloc(0))).prepare();
    await reader.open(handle.version).read(0, MIB, forever);
    expect(platform.count('downloadInfo')).toBe(1);
  });

  it('come with what is known of the file where the service tells it', async () => {
    const { platform, reader } = setup();
    platform.capabilities.add('download_info_file');
    const handle = reader.open(fileVersion(platform, patterned(MIB)));
    expect(await handle.prepare()).toMatchObject({ kind: 'file', sizeBytes: MIB });
    expect(handle.prepare()).toBeUndefined();
    await bytesOf(handle.read(0, MIB, forever));
    expect([platform.count('downloadInfoAndFile'), platform.count('downloadInfo')]).toEqual([1, 0]);
  });

  it('that are refused with the file are asked for again by the first read', async () => {
    const { platform, reader } = setup();
    platform.capabilities.add('download_info_file');
    platform.on = (call) => {
      if (call === 'downloadInfoAndFile') throw new Error('not for you');
    };
    const handle = reader.open(fileVersion(platform, patterned(MIB)));
    await expect(handle.prepare()).rejects.toThrow('not for you');
    await bytesOf(handle.read(0, MIB, forever));
    expect(platform.count('downloadInfo')).toBe(1);
  });

  it('outlive the bytes in memory', async () => {
    const { platform, reader } = setup();
    const versions = [1, 2].map((seed) => fileVersion(platform, patterned(16 * MIB, seed)));
    for (const version of [...versions, ...versions]) {
      const handle = reader.open(version);
      await readAll(handle, MIB);
      handle.close();
    }
    expect(bytesFetched(platform)).toBeGreaterThan(48 * MIB);
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('are renewed once when the store refuses them, for all ranges together', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(8 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    platform.on = (call) => {
      if (call.startsWith('getRange') && platform.count('downloadInfo') === 1) {
        throw new StorageError('refused', 'expired', { status: 403 });
      }
    };
    const reads = [0, 2, 4].map((at) => bytesOf(handle.read(at * MIB, 100, forever)));
    expect(await Promise.all(reads)).toEqual([0, 2, 4].map((at) => bytes.subarray(at * MIB, at * MIB + 100)));
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('that lead to a store that answers no more are asked for again by the next read', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(8 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    await bytesOf(handle.read(0, 100, forever));
    platform.on = (call) => {
      if (call.startsWith('getRange') && platform.count('downloadInfo') === 1)
        throw new StorageError('failed', 'no answer from the store: its name is unknown');
    };
    const reads = [2, 4, 6].map((at) => bytesOf(handle.read(at * MIB, 100, forever)));
    for (const read of reads) await expect(read).rejects.toThrow('no answer');
    expect(platform.count('downloadInfo')).toBe(1);
    const again = [2, 4, 6].map((at) => bytesOf(handle.read(at * MIB, 100, forever)));
    expect(await Promise.all(again)).toEqual([2, 4, 6].map((at) => bytes.subarray(at * MIB, at * MIB + 100)));
    expect(platform.count('downloadInfo')).toBe(2);
  });

  it('that are refused anew make the file unreadable, with a reason', async () => {
    const { platform, reader } = setup();
    const handle = reader.open(fileVersion(platform, patterned(100)));
    platform.on = (call) => {
      if (call.startsWith('getRange')) throw new StorageError('refused', 'no', { status: 403 });
    };
    await expect(bytesOf(handle.read(0, 100, forever))).rejects.toMatchObject({ kind: 'unreadable' });
    expect(platform.count('downloadInfo')).toBe(2);
  });
});
