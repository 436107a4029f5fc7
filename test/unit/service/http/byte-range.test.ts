import { expect, test } from 'vitest';
import { answerRange } from '../../../../src/service/http/byte-range.ts';

const part = (first: number, last: number): object => ({ kind: 'part', range: { first, last } });

test.each([
  ['bytes=0-3', part(0, 3)],
  ['bytes=4-', part(4, 9)],
  ['bytes=-3', part(7, 9)],
  ['bytes=-30', part(0, 9)],
  ['bytes=8-1000', part(8, 9)],
  ['BYTES=1-1', part(1, 1)],
])('%s of ten bytes is a part', (header, answer) => {
  expect(answerRange(header, 10)).toEqual(answer);
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s of ten bytes is not there', (header) => {
  expect(answerRange(header, 10)).toEqual({ kind: 'unsatisfiable' });
});

test.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=a-b'])(
  '%s is ignored',
  (header) => {
    expect(answerRange(header, 10)).toEqual({ kind: 'whole' });
  },
);

test('nothing can be asked of an empty content', () => {
  expect(answerRange('bytes=0-0', 0)).toEqual({ kind: 'unsatisfiable' });
  expect(answerRange(undefined, 0)).toEqual({ kind: 'whole' });
});
