import { expect, it } from 'vitest';
import { sampleOf } from '../../../../src/cli/mount/mount-history.ts';
import { OperationCounts } from '../../../../src/observe/operation-counts.ts';
import { someStatistics } from '../some-statistics.ts';

const { api, cache, uploads } = someStatistics();

it('tells rates of a span of time, and how long its operations took', () => {
  const operations = new OperationCounts();
  for (let count = 0; count < 100; count += 1) operations.add('READ', 0, 1000);
  const before = someStatistics({ operations: operations.snapshot() });
  // Of the span itself: what was slow before it does not count.
  for (let count = 0; count < 98; count += 1) operations.add('GETATTR', 0, 0.03);
  for (let count = 0; count < 2; count += 1) operations.add('READ', 0, 30);
  const after = someStatistics({
    api: { ...api, calls: { 'GET /files': 26, 'GET /': 1 } },
    cache: { ...cache, fetchedBytes: 5000 },
    uploads: { ...uploads, sentBytes: 2000 },
    operations: operations.snapshot(),
  });
  const sample = sampleOf(before, after, 10);
  expect(sample).toMatchObject({ downRate: 500, upRate: 200, operations: 10, requests: 2 });
  expect(sample.medianMs).toBeLessThan(0.1);
  expect(sample.slowMs).toBeGreaterThan(10);
});

it('tells nothing of what was not there', () => {
  const statistics = someStatistics();
  expect(sampleOf(statistics, statistics, 10)).toMatchObject({
    downRate: 0,
    medianMs: null,
    slowMs: null,
    requestsLeft: null,
    cachedBytes: null,
  });
});

it('takes bytes of a lost connection for none, not for fewer', () => {
  const before = someStatistics({ uploads: { ...uploads, sentBytes: 5000 } });
  expect(sampleOf(before, someStatistics(), 10).upRate).toBe(0);
});
