import { expect, it } from 'vitest';
import { History } from '../../../src/observe/history.ts';

it('keeps the newest samples, oldest first', () => {
  const history = new History(['a', 'b'], 3);
  expect(history.since(0)).toEqual({ atMs: [], values: { a: [], b: [] } });
  for (const number of [1, 2, 3, 4])
    history.add(number * 10, { a: number, b: number === 3 ? null : -number });
  expect(history.since(0)).toEqual({ atMs: [20, 30, 40], values: { a: [2, 3, 4], b: [-2, null, -4] } });
});

it('tells what came after a moment', () => {
  const history = new History(['a'], 3);
  for (const number of [1, 2]) history.add(number * 10, { a: number });
  expect(history.since(10)).toEqual({ atMs: [20], values: { a: [2] } });
  expect(history.since(20).atMs).toEqual([]);
});
