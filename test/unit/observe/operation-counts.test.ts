import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { OperationCounts } from '../../../src/observe/operation-counts.ts';
import { RequestDurations } from '../../../src/observe/request-durations.ts';

it('operations are counted by name, with their durations and the names of their errors', () => {
  const counts = new OperationCounts();
  counts.add('LOOKUP', 0, 0.02);
  counts.add('LOOKUP', constants.errno.ENOENT, 4);
  counts.add('READ', constants.errno.EAGAIN, 1);
  counts.add('READ', constants.errno.EOPNOTSUPP, 1);
  counts.add('READ', 4711, 1);
  expect(counts.snapshot()).toEqual({
    LOOKUP: { answered: 2, failed: 1, ms: 4, buckets: { 0.032: 1, 4.096: 1 }, errors: { ENOENT: 1 } },
    READ: {
      answered: 3,
      failed: 3,
      ms: 3,
      buckets: { 1.024: 3 },
      errors: { EAGAIN: 1, EOPNOTSUPP: 1, 4711: 1 },
    },
  });
});

it('requests are counted by call and status, those without an answer too', () => {
  const requests = new RequestDurations();
  requests.add({ name: 'GET /files/{id}', status: 200, ms: 12 });
  requests.add({ name: 'GET /files/{id}', status: 200, ms: 14 });
  requests.add({ name: 'GET /files/{id}', status: 429, ms: 1 });
  requests.add({ name: 'POST /files', status: undefined, ms: 20_000 });
  expect(requests.snapshot()).toEqual({
    'GET /files/{id}': {
      200: { count: 2, ms: 26, buckets: { 16.384: 2 } },
      429: { count: 1, ms: 1, buckets: { 1.024: 1 } },
    },
    'POST /files': { none: { count: 1, ms: 20_000, buckets: { 33554.432: 1 } } },
  });
});
