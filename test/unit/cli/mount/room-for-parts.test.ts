import { describe, expect, it } from 'vitest';
import { requireRoomForParts } from '../../../../src/cli/mount/room-for-parts.ts';

const MIB = 1024 * 1024;

/** The refusal of parts of so many MiB on a machine that has so much memory; undefined: they are taken. */
function refusal(
  partMib: number,
  { machineMib = 64 * 1024, ...given }: { machineMib?: number; memoryMib?: number; spoolMib?: number } = {},
): string | undefined {
  const { memoryMib, spoolMib } = given;
  const partSize = partMib * MIB;
  const memory = memoryMib === undefined ? undefined : memoryMib * MIB;
  const spoolSize = spoolMib === undefined ? undefined : spoolMib * MIB;
  try {
    requireRoomForParts({ partSize, memory, spoolSize }, machineMib * MIB);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the size of parts', () => {
  it('is taken where two of them have room', () => {
    expect(refusal(512)).toBeUndefined();
    expect(refusal(16, { machineMib: 32 })).toBeUndefined();
    expect(refusal(600, { memoryMib: 1200, spoolMib: 1200 })).toBeUndefined();
  });

  it('is refused where the machine, or its control group, has no room for two: no --memory would help', () => {
    for (const memoryMib of [undefined, 512])
      expect(refusal(400, { machineMib: 512, ...(memoryMib !== undefined && { memoryMib }) })).toBe(
        'parts of the size given with --part-size need 800M of memory, and this machine or its control group has ' +
          '512M; give a smaller --part-size',
      );
  });

  it.each([
    ['--memory 1200M', 600, {}],
    ['--memory 128M', 64, { memoryMib: 100 }],
    ['--spool-size 128M', 64, { spoolMib: 100 }],
  ] as const)('is refused with what has room: %s', (least, partMib, given) => {
    expect(refusal(partMib, given)).toBe(
      `parts of the size given with --part-size need at least ${least}; give that, or a smaller --part-size`,
    );
  });
});
