import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describe as describeObject } from '../../../../../src/service/storage/buckets/object-of-file.ts';
import { apiTime, storedTime } from '../../../../../src/service/store/stored-time.ts';

const YEAR_MS = 365n * 86_400_000n;

/** As the API tells the time of a file that was last written at `mtimeMs`. */
async function toldTime(mtimeMs: bigint): Promise<string> {
  const file: BigIntStats = await stat(import.meta.filename, { bigint: true });
  Object.assign(file, { mtimeMs, mtimeNs: mtimeMs * 1_000_000n });
  return apiTime(storedTime(describeObject('k', file, undefined).updatedMs));
}

it.each([
  [-5000n, '1969-12-31T23:59:55Z'],
  [9000n * YEAR_MS, '9999-12-31T23:59:59Z'],
  [2n ** 62n * 1000n, '9999-12-31T23:59:59Z'],
  [-(2n ** 62n) * 1000n, '0000-01-01T00:00:00Z'],
])('a file of %i ms is told with a time of four digits', async (mtimeMs, told) => {
  expect(await toldTime(mtimeMs)).toBe(told);
});
