import { expect, test } from 'vitest';
import { PART_SIZE_DEFAULT, PART_SIZE_MAX, PART_SIZE_MIN } from '../../../../src/contract/limits.ts';
import { parsePartReport, parsePartReports } from '../../../../src/service/uploads/part-report.ts';
import { choosePartSize } from '../../../../src/service/uploads/part-size.ts';
import { checkWholeUpload } from '../../../../src/service/uploads/whole-upload.ts';

const TIB = 1024 ** 4;

test('the part size asked for is taken when it is in range', () => {
  expect(choosePartSize(PART_SIZE_MIN, undefined)).toBe(PART_SIZE_MIN);
  expect(choosePartSize(PART_SIZE_MAX, undefined)).toBe(PART_SIZE_MAX);
});

test.each([undefined, null, 0, -1, PART_SIZE_MIN - 1, PART_SIZE_MAX + 1])(
  'a part size of %s gets the default',
  (asked) => {
    expect(choosePartSize(asked, 1)).toBe(PART_SIZE_DEFAULT);
  },
);

test('the part size grows until the announced size fits into 10,000 parts', () => {
  expect(choosePartSize(PART_SIZE_MIN, 5 * TIB) * 10_000).toBeGreaterThanOrEqual(5 * TIB);
});

const parts = (...sizes: number[]) => sizes.map((size, index) => ({ part_number: index + 1, size }));

test('one empty part is an empty file', () => {
  expect(() => checkWholeUpload(parts(0), 0)).not.toThrow();
});

test('an overlong part and an empty last one are whole: the public client sends them', () => {
  expect(() => checkWholeUpload(parts(PART_SIZE_MIN + 1, 0), PART_SIZE_MIN + 1)).not.toThrow();
});

test('no part at all is refused', () => {
  expect(() => checkWholeUpload([], null)).toThrow(expect.objectContaining({ code: 8007 }));
});

test('a gap is refused and named', () => {
  const gap = [
    { part_number: 1, size: PART_SIZE_MIN },
    { part_number: 3, size: 1 },
  ];
  expect(() => checkWholeUpload(gap, null)).toThrow('Part 2 is missing');
});

test('a total other than announced is refused', () => {
  expect(() => checkWholeUpload(parts(3), 4)).toThrow(expect.objectContaining({ code: 8007 }));
});

test('a small part that is not the last is refused', () => {
  expect(() => checkWholeUpload(parts(10, 10), null)).toThrow('Part 1');
});

test('a report names number and ETag; quotes and the case of the header do not matter', () => {
  expect(parsePartReport({ part_number: 2, response: { headers: { etag: '"abc"' } } })).toEqual({
    partNumber: 2,
    etag: 'abc',
  });
});

test.each([
  [null, 8014],
  [{ response: { headers: { ETag: 'x' } } }, 8012],
  [{ part_number: 0, response: { headers: { ETag: 'x' } } }, 8012],
  [{ part_number: 10_001, response: { headers: { ETag: 'x' } } }, 8012],
  [{ part_number: 1.5, response: { headers: { ETag: 'x' } } }, 8012],
  [{ part_number: 1 }, 8014],
  [{ part_number: 1, response: { headers: {} } }, 8014],
  [{ part_number: 1, response: { headers: { ETag: 7 } } }, 8014],
])('the report %j is refused with %i', (report, code) => {
  expect(() => parsePartReport(report)).toThrow(expect.objectContaining({ code }));
});

test('of several reports of one part the last counts', () => {
  const report = (etag: string) => ({ part_number: 1, response: { headers: { ETag: etag } } });
  expect(parsePartReports([report('a'), report('b')])).toEqual([{ partNumber: 1, etag: 'b' }]);
});
