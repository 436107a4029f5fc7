import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/api/errors.ts';
import type { ContentVersion, OpenVersion } from '../../../src/content/ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type FakePlatform, patterned } from './fake-platform.ts';
import { bytesOf, fileVersion, forever, KIB, MIB, readAll, type Setup, setup } from './reader-world.ts';

function bytesFetched({ ranges }: FakePlatform): number {
  return ranges.reduce((sum, { length }) => sum + length, 0);
}

describe('reading', () => {
  it('gives the bytes of any range, cut at the end', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(5 * MIB + 123);
    const handle = reader.open(fileVersion(platform, bytes));
    for (const [offset, size] of [
      [0, 10],
      [3 * MIB - 7, 2 * MIB],
      [5 * MIB, MIB],
      [17, 5 * MIB],
    ] as const) {
      const read = await bytesOf(handle.read(offset, size, forever));
      expect(read.equals(bytes.subarray(offset, offset + size))).toBe(true);
    }
    expect(await bytesOf(handle.read(6 * MIB, 10, forever))).toHaveLength(0);
  });

  it('answers at once, without a promise, what is cached', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    await bytesOf(handle.read(0, MIB, forever));
    const again = reader.open(handle.version).read(1000, 5000, forever);
    expect(again).not.toBeInstanceOf(Promise);
    expect(await bytesOf(again)).toEqual(bytes.subarray(1000, 6000));
    expect(platform.count('downloadInfo')).toBe(1);
  });

  it('asks for a signal only when it has to wait', async () => {
    const { platform, reader } = setup();
    const version = fileVersion(platform, patterned(MIB));
    let asked = 0;
    const waiting = {
      get signal(): AbortSignal {
        asked += 1;
        return forever.signal;
      },
    };
    const handle = reader.open(version);
    await bytesOf(handle.read(0, MIB, waiting));
    expect(asked).toBeGreaterThan(0);
    asked = 0;
    await bytesOf(handle.read(0, MIB, waiting));
    expect(asked).toBe(0);
  });

  it('fetches a range once for all who want it at the same time', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(MIB);
    const version = fileVersion(platform, bytes);
    const handles = [reader.open(version), reader.open(version), reader.open(version)];
    const all = await Promise.all(handles.map((handle) => bytesOf(handle.read(0, 64 * KIB, forever))));
    expect(all).toEqual([0, 1, 2].map(() => bytes.subarray(0, 64 * KIB)));
    expect(platform.ranges.filter(({ offset }) => offset === 0)).toHaveLength(1);
  });

  it('fetches no more than twice what a reader uses that jumps over an index', async () => {
    const { platform, reader } = setup();
    const handle = reader.open(fileVersion(platform, patterned(32 * MIB)));
    let used = 0;
    for (const at of [0, 17.3, 4.1, 29.9, 8.8, 12.01, 22.2]) {
      const size = at === 0 ? 64 * KIB : 48 * KIB;
      await bytesOf(handle.read(Math.floor((at * MIB) / 4096) * 4096, size, forever));
      used += size;
    }
    expect(bytesFetched(platform)).toBeLessThanOrEqual(2 * used);
  });

  it.each([
    ['steps back by 1 MiB', Array.from({ length: 40 }, (_, at) => (63 - at) * MIB)],
    ['steps back by 208 KiB', Array.from({ length: 100 }, (_, at) => 63 * MIB - at * 208 * KIB)],
    [
      'jumps, and then goes to and fro by up to 1 MiB',
      [17, 44, 3, 58, 29, 9, 36].flatMap((at) => [0, 0.75, -1, 0.5].map((step) => (at + step) * MIB)),
    ],
  ])('fetches a block for each read of a reader that %s', async (_, offsets) => {
    const { platform, reader } = setup();
    const handle = reader.open(fileVersion(platform, patterned(64 * MIB)));
    for (const at of offsets) await bytesOf(handle.read(at, 4 * KIB, forever));
    expect(bytesFetched(platform)).toBeLessThanOrEqual(offsets.length * 16 * KIB);
  });

  it('fetches only the region when the end of a small file was looked at before', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(1_890_503);
    const handle = reader.open(fileVersion(platform, bytes));
    await bytesOf(handle.read(0, 32 * KIB, forever));
    await bytesOf(handle.read(bytes.length - 28, 28, forever));
    const before = bytesFetched(platform);
    expect(await bytesOf(handle.read(274_683, 32 * KIB, forever))).toEqual(
      bytes.subarray(274_683, 274_683 + 32 * KIB),
    );
    expect(bytesFetched(platform) - before).toBeLessThanOrEqual(64 * KIB);
  });

  it('fetches several ranges ahead of a sequential reader, and every byte once', async () => {
    const { platform, reader } = setup(256 * MIB);
    const bytes = patterned(48 * MIB);
    platform.on = () => new Promise((resolve) => setImmediate(resolve));
    expect((await readAll(reader.open(fileVersion(platform, bytes)))).equals(bytes)).toBe(true);
    expect(platform.mostRangesInFlight).toBeGreaterThanOrEqual(4);
    expect(bytesFetched(platform)).toBe(bytes.length);
  });

  it('lends the front of a range before its end has come', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    platform.pieceBytes = 64 * KIB;
    const never = new Promise<void>(() => {});
    platform.on = (call) => (call === `piece ${64 * KIB}` ? never : undefined);
    expect(await bytesOf(handle.read(0, 100 * KIB, forever))).toEqual(bytes.subarray(0, 100 * KIB));
    expect(platform.rangesInFlight).toBeGreaterThan(0);
  });

  it('stops waiting when interrupted, while the range arrives for the others', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(MIB);
    const version = fileVersion(platform, bytes);
    let go = (): void => {};
    platform.on = (call) =>
      call.startsWith('getRange') ? new Promise((resolve) => (go = resolve)) : undefined;
    const interrupted = new AbortController();
    const first = Promise.resolve(reader.open(version).read(0, 16 * KIB, interrupted));
    const second = bytesOf(reader.open(version).read(0, 16 * KIB, forever));
    await waitUntil(() => platform.ranges.length > 0);
    interrupted.abort(new Error('interrupted'));
    await expect(first).rejects.toThrow('interrupted');
    platform.on = () => {};
    go();
    expect(await second).toEqual(bytes.subarray(0, 16 * KIB));
  });

  it('tries anew after a failure', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    platform.on = (call) => {
      if (call.startsWith('getRange')) throw new StorageError('failed', 'reset');
    };
    await expect(bytesOf(handle.read(0, 100, forever))).rejects.toMatchObject({ kind: 'failed' });
    platform.on = () => {};
    expect(await bytesOf(handle.read(0, 100, forever))).toEqual(bytes.subarray(0, 100));
  });
});

describe('a range that could not be had after long trying', () => {
  interface Failing {
    readonly made: Setup;
    readonly version: ContentVersion;
    readonly handle: OpenVersion;
  }

  /** The read fails after a minute, in the middle of which something may be done. */
  async function failing(halfway?: (made: Setup, version: ContentVersion) => void): Promise<Failing> {
    const made = setup();
    const { platform, reader, clock } = made;
    platform.on = async (call) => {
      if (!call.startsWith('getRange')) return;
      await clock.sleep(60_000);
      throw new StorageError('failed', 'no answer');
    };
    const version = fileVersion(platform, patterned(MIB));
    const handle = reader.open(version);
    const reading = expect(bytesOf(handle.read(0, 128 * KIB, forever))).rejects.toThrow('no answer');
    await waitUntil(() => clock.sleeping > 0);
    await clock.advance(30_000);
    halfway?.(made, version);
    await clock.advance(30_000);
    await reading;
    return { made, handle, version };
  }

  it('fails at once for the read of a page that follows', async () => {
    const { made, handle } = await failing();
    const before = made.platform.ranges.length;
    await expect(bytesOf(handle.read(0, 4 * KIB, forever))).rejects.toThrow('no answer');
    expect(made.platform.ranges).toHaveLength(before);
  });

  it('is tried anew for who asks after that', async () => {
    const { made, handle } = await failing();
    made.platform.on = () => {};
    await expect(bytesOf(handle.read(0, 4 * KIB, forever))).rejects.toThrow('no answer');
    expect(await bytesOf(handle.read(0, 100, forever))).toHaveLength(100);
  });

  it('is tried anew for who opens the file after that', async () => {
    const { made, version } = await failing();
    made.platform.on = () => {};
    expect(await bytesOf(made.reader.open(version).read(0, 100, forever))).toHaveLength(100);
  });

  it('is tried anew for who opened the file before the last try had failed', async () => {
    let other: OpenVersion | undefined;
    const { made } = await failing(({ reader }, version) => {
      other = reader.open(version);
    });
    made.platform.on = () => {};
    expect(other && (await bytesOf(other.read(0, 100, forever)))).toHaveLength(100);
  });

  it('is tried anew some seconds later', async () => {
    const { made, handle } = await failing();
    made.platform.on = () => {};
    await made.clock.advance(3000);
    expect(await bytesOf(handle.read(0, 100, forever))).toHaveLength(100);
  });
});

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

describe('content that can change', () => {
  const place = { volume: 'alice/bucket', location: 'a/b.bam' };

  function withAlias(): Setup & { readonly alias: ContentVersion } {
    const made = setup();
    const bytes = patterned(MIB, 1);
    made.platform.objects.set('alice/bucket/a/b.bam', { bytes, etag: 'one' });
    const { id } = made.platform.addFile(bytes, { storage: { kind: 'volume', ...place } });
    return { ...made, alias: { kind: 'alias', fileId: id, ...place, sizeBytes: bytes.length } };
  }

  it('is not mixed: a handle that meets another version fails with `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    const handle = reader.open(alias);
    await bytesOf(handle.read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    await expect(bytesOf(handle.read(MIB / 2, 100, forever))).rejects.toMatchObject({ kind: 'changed' });
  });

  it('is checked when opened again: what is cached of an old version is not given', async () => {
    const { platform, reader, alias } = withAlias();
    await bytesOf(reader.open(alias).read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    const again = await bytesOf(reader.open(alias).read(0, 100, forever));
    expect(again).toEqual(patterned(MIB, 2).subarray(0, 100));
  });

  it('of a store that gives no ETag is fetched anew when opened again, and not mixed with what is cached', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 1), etag: undefined });
    const first = reader.open(alias);
    await bytesOf(first.read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: undefined });
    const again = reader.open(alias);
    expect(await bytesOf(again.read(0, 100, forever))).toEqual(patterned(MIB, 2).subarray(0, 100));
    expect(await bytesOf(first.read(0, 100, forever))).toEqual(patterned(MIB, 1).subarray(0, 100));
  });

  it('is not asked for by a handle that is closed while it is checked', async () => {
    const { platform, reader, alias } = withAlias();
    await bytesOf(reader.open(alias).read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    const handle = reader.open(alias);
    const read = bytesOf(handle.read(0, 100, forever));
    const asked = platform.ranges.length;
    handle.close();
    await expect(read).rejects.toMatchObject({ kind: 'changed' });
    expect(platform.ranges).toHaveLength(asked + 1);
  });

  it('of another size than its entry says is `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(2 * MIB), etag: 'two' });
    await expect(bytesOf(reader.open(alias).read(0, 100, forever))).rejects.toMatchObject({
      kind: 'changed',
    });
  });

  it('of a volume is read through the link the service gives, if it is the version listed', async () => {
    const { platform, reader } = withAlias();
    platform.capabilities.add('volume_download_info');
    const listed = { kind: 'object', ...place, sizeBytes: MIB } as const;
    expect(await bytesOf(reader.open({ ...listed, etag: '"one"' }).read(5, 10, forever))).toEqual(
      patterned(MIB, 1).subarray(5, 15),
    );
    const stale = reader.open({ ...listed, etag: 'zero' });
    await expect(bytesOf(stale.read(0, 10, forever))).rejects.toMatchObject({ kind: 'changed' });
  });

  it('of a volume says what to do where the service gives no links', async () => {
    const { reader } = withAlias();
    const handle = reader.open({ kind: 'object', ...place, etag: 'one', sizeBytes: MIB });
    await expect(bytesOf(handle.read(0, 10, forever))).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('import a/b.bam'),
    });
  });

  it('that is gone is `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.clear();
    await expect(bytesOf(reader.open(alias).read(0, 10, forever))).rejects.toMatchObject({ kind: 'changed' });
  });
});
