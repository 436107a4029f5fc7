import { describe, expect, it } from 'vitest';
import { StorageError, TransportError } from '../../../../src/api/errors.ts';
import type { ContentVersion, OpenVersion } from '../../../../src/content/ports.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { patterned } from '../fake-platform.ts';
import { bytesOf, fileVersion, forever, KIB, MIB, type Setup, setup } from './reader-world.ts';

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

describe('a read that joins the fetch of another reader', () => {
  interface Joined {
    readonly made: Setup;
    readonly other: OpenVersion;
    readonly first: Promise<void>;
  }

  /** The first reader's fetch, or its link, fails at 60 s. At 50 s another handle is there, and the service is back. */
  async function joining(stuck: 'getRange' | 'downloadInfo'): Promise<Joined> {
    const made = setup();
    const { platform, reader, clock } = made;
    platform.on = async (call) => {
      if (!call.startsWith(stuck)) return;
      await clock.sleep(60_000);
      throw stuck === 'getRange'
        ? new StorageError('failed', 'no answer')
        : new TransportError('no answer', { call: 'GET' });
    };
    const version = fileVersion(platform, patterned(MIB));
    const reading = reader.open(version).read(0, 128 * KIB, forever);
    const first = expect(bytesOf(reading)).rejects.toThrow('no answer');
    await waitUntil(() => clock.sleeping > 0);
    await clock.advance(50_000);
    platform.on = () => {};
    return { made, other: reader.open(version), first };
  }

  it.each(['getRange', 'downloadInfo'] as const)(
    'gets its bytes when that fails (%s) and the service is back',
    async (stuck) => {
      const { made, other, first } = await joining(stuck);
      const joined = bytesOf(other.read(0, 64 * KIB, forever));
      await made.clock.advance(10_000);
      await first;
      expect(await joined).toEqual(patterned(MIB).subarray(0, 64 * KIB));
    },
  );

  it('tries anew for what is left of its own time', async () => {
    const { made, other, first } = await joining('getRange');
    made.platform.on = (call) => {
      if (call.startsWith('getRange')) throw new StorageError('failed', 'not yet');
    };
    const joined = expect(bytesOf(other.read(0, 64 * KIB, forever))).rejects.toThrow('not yet');
    await made.clock.advance(10_000);
    await Promise.all([first, joined]);
    expect(made.platform.ranges.at(-1)).toMatchObject({ offset: 0, sinceMs: 50_000 });
  });
});
