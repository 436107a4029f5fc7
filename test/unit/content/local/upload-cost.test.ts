import { expect, test } from 'vitest';
import { partSizeToAskFor, requestsToUpload } from '../../../../src/content/local/upload-cost.ts';

const MIB = 1024 * 1024;

test.each([
  [MIB, 16],
  [1600 * MIB, 16],
  [3072 * MIB, 32],
  [100_000 * MIB, 64],
])('a file of %i bytes goes in parts of %i MiB', (sizeBytes, partMib) => {
  expect(partSizeToAskFor(sizeBytes)).toBe(partMib * MIB);
});

test('one request for a small file where the service takes it, else one for each step', () => {
  const cost = (sizeBytes: number, inline: boolean, annotated: boolean) =>
    requestsToUpload(sizeBytes, { inline, annotated });
  expect(cost(0, true, true)).toBe(1);
  expect(cost(8 * MIB, true, true)).toBe(1);
  expect(cost(8 * MIB, false, false)).toBe(3);
  expect(cost(8 * MIB + 1, true, true)).toBe(4);
  expect(cost(40 * MIB, true, false)).toBe(5);
});
