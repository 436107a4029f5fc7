import { expect, it } from 'vitest';
import { AnsweredJobs } from '../../../../src/api/resources/answered-jobs.ts';
import { unansweredJobs } from '../../../../src/api/resources/unanswered-jobs.ts';
import type { Caller, CallSpec } from '../../../../src/api/transport/caller.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const NO_TIME = { options: () => ({}), spent: () => undefined, again: async () => false };

/** A call that lists these jobs, and the offsets it was asked for. */
function listing(jobs: readonly object[]): { readonly call: Caller; readonly offsets: number[] } {
  const offsets: number[] = [];
  const call = async <T>({ query, parse }: CallSpec<T>): Promise<T> => {
    const offset = Number(query?.['offset']);
    offsets.push(offset);
    const body = { items: jobs.slice(offset, offset + Number(query?.['limit'])), links: [] };
    return parse(body, { status: 200, headers: { 'x-total-matching-query': `${jobs.length}` }, body });
  };
  return { call: Object.assign(call, { repetition: () => NO_TIME }), offsets };
}

it('reads no further than to jobs that wait since their start was answered before', async () => {
  const clock = new FakeClock();
  const answered = new AnsweredJobs(new ServerTime(clock));
  const before = Array.from({ length: 5000 }, (_, index) => ({ id: `before-${index}`, state: 'PENDING' }));
  for (const { id } of before) answered.add(id);
  await clock.advance(1000);
  const sinceMs = clock.now();
  answered.add('beside');
  const { call, offsets } = listing([{ id: 'ours' }, { id: 'beside' }, ...before]);
  const wanted = { route: 'GET /storage/exports', sinceMs, answered, parse: (job: object) => job } as const;
  expect(await unansweredJobs(call, wanted)).toEqual([{ id: 'ours' }]);
  expect(offsets).toEqual([0, 4902]);
});
