import { expect, it } from 'vitest';
import type { Api } from '../../../src/api/api.ts';
import type { BulkResult, TransferJob } from '../../../src/api/model.ts';
import { JobTable } from '../../../src/jobs/job-table.ts';
import { createWatches } from '../../../src/jobs/watches.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const JOB = { id: 'j', kind: 'export', source: '/projects/p/f', target: '/volumes/v/f' } as const;
const done = { id: 'j', state: 'COMPLETED' } as TransferJob;

/** An export that is watched, about which the service answers so, one question after the other. */
async function watchedExport(answers: readonly BulkResult<TransferJob>[]) {
  const clock = new FakeClock();
  const table = new JobTable(clock);
  const left = [...answers];
  const api = {
    capabilities: async () => new Set(),
    transfers: { get: async () => [left.shift()] },
  } as unknown as Api;
  const watch = createWatches({ api, clock, table }).export;
  table.add(JOB);
  watch.add(['j']);
  const over = watch.wait('j');
  await clock.advance(60_000);
  return { over, table };
}

function refused(status: number): BulkResult<TransferJob> {
  return { ok: false, failure: { status, code: 0, message: 'told by the service' } };
}

it.each([429, 500, 503])(
  'a job of which the service cannot tell now (%d) is asked about again',
  async (status) => {
    const { over, table } = await watchedExport([refused(status), { ok: true, value: done }]);
    expect(await over).toEqual({ ok: true, value: done });
    expect(table.get('j')).toMatchObject({ state: 'done', failure: undefined });
  },
);

it.each([403, 404])('a job that may not be asked about, or is no more (%d), failed', async (status) => {
  const { over, table } = await watchedExport([refused(status)]);
  expect(await over).toEqual(refused(status));
  expect(table.get('j')).toMatchObject({ state: 'failed', failure: { status } });
});
