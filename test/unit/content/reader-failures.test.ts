import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/api/errors.ts';
import type { ContentVersion, OpenVersion } from '../../../src/content/ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { patterned } from './fake-platform.ts';
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
