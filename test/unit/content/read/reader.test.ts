import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../src/api/errors.ts';
import { Gate } from '../../../support/gate.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { patterned } from '../fake-platform.ts';
import { bytesFetched, bytesOf, fileVersion, forever, KIB, MIB, readAll, setup } from './reader-world.ts';

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

  it('lends what is cached from where it lies, however often', async () => {
    const { platform, reader } = setup();
    const handle = reader.open(fileVersion(platform, patterned(4 * MIB)));
    await readAll(handle);
    const first = await handle.read(1000, 3 * MIB, forever);
    const second = await reader.open(handle.version).read(1000, 3 * MIB, forever);
    expect(first.chunks.length).toBeGreaterThan(1);
    const isWhereItLies = ({ buffer, byteOffset }: Uint8Array, index: number): boolean =>
      buffer === first.chunks[index]?.buffer && byteOffset === first.chunks[index]?.byteOffset;
    expect(second.chunks).toHaveLength(first.chunks.length);
    expect(second.chunks.every(isWhereItLies)).toBe(true);
    first.release?.();
    second.release?.();
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

  it('fetches as far ahead beside files that were read to their end, and are still open', async () => {
    const { platform, reader } = setup(96 * MIB);
    for (let seed = 1; seed <= 24; seed += 1)
      await readAll(reader.open(fileVersion(platform, patterned(MIB + 1, seed))));
    const before = bytesFetched(platform);
    const handle = reader.open(fileVersion(platform, patterned(48 * MIB)));
    for (let at = 0; at < MIB; at += 128 * KIB) await bytesOf(handle.read(at, 128 * KIB, forever));
    await waitUntil(() => platform.rangesInFlight === 0);
    expect(bytesFetched(platform) - before).toBeGreaterThan(24 * MIB);
  });

  it('gives up what is far ahead of a reader that jumps', async () => {
    const { platform, reader, memory } = setup(256 * MIB);
    const bytes = patterned(64 * MIB);
    const gate = new Gate();
    platform.on = (call) => {
      const [, offset] = call.match(/^getRange (\d+)/) ?? [];
      return Number(offset) >= 3 * MIB && Number(offset) < 59 * MIB ? gate.opened : undefined;
    };
    const handle = reader.open(fileVersion(platform, bytes));
    for (let at = 0; at < MIB; at += 128 * KIB) await bytesOf(handle.read(at, 128 * KIB, forever));
    expect(platform.rangesInFlight).toBeGreaterThan(8);
    const region = await bytesOf(handle.read(60 * MIB, 128 * KIB, forever));
    expect(region).toEqual(bytes.subarray(60 * MIB, 60 * MIB + 128 * KIB));
    gate.open();
    await waitUntil(() => platform.rangesInFlight === 0);
    expect(memory.lentBytes).toBeLessThan(12 * MIB);
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
