/** What people call a job: many jobs of the platform, with sums, what failed, and a second try. */
import { describe, expect, it } from 'vitest';
import type { FileRecord, TransferJob } from '../../../src/api/model.ts';
import type { FinishedTransfer } from '../../../src/jobs/finished-job.ts';
import { JobTable } from '../../../src/jobs/job-table.ts';
import type { JobWatch } from '../../../src/jobs/job-watch.ts';
import { runAsWork, type TransferRun } from '../../../src/jobs/run-transfers.ts';
import { WorkTable } from '../../../src/jobs/works.ts';
import { type Deferred, deferred } from '../../../src/lib/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const PATHS = { source: '/from', target: '/to' };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A folder of so many files; `end` has the jobs of the platform end, in failure those of these files. */
function start(count: number, options: { readonly holdSecondCall?: Promise<void> } = {}) {
  const works = new WorkTable(new FakeClock());
  const table = new JobTable(new FakeClock(), (...told) => works.updated(...told));
  const waiting = new Map<string, Deferred<FinishedTransfer>>();
  const calls: string[][] = [];
  const names = Array.from({ length: count }, (_, index) => `f${index}`);
  const run: TransferRun<string> = {
    kind: 'export',
    start: async (requests) => {
      calls.push([...requests]);
      if (calls.length === 2) await options.holdSecondCall;
      return requests.map((name) => {
        const id = `${name}-${calls.length}`;
        waiting.set(id, deferred());
        return { ok: true, value: { id, state: 'PENDING' } as TransferJob };
      });
    },
    alreadyDone: async () => undefined,
    resultOf: async (name) => ({ id: name }) as FileRecord,
    table,
    watch: {
      add: () => {},
      wait: (id: string) => waiting.get(id)?.promise,
    } as unknown as JobWatch<FinishedTransfer>,
    signal: undefined,
  };
  const transfers = names.map((name) => ({
    request: name,
    path: name,
    paths: { source: `/from/${name}`, target: `/to/${name}` },
  }));
  const over = runAsWork(transfers, run, { works, paths: PATHS });
  over.catch(() => {});
  const end = async (failing: readonly string[] = []): Promise<void> => {
    for (const [id, job] of waiting) {
      const failure = failing.some((name) => id.startsWith(`${name}-`)) ? FAILURE : undefined;
      table.update(id, failure ? 'failed' : 'done', failure);
      job.resolve(
        failure ? { ok: false, failure } : { ok: true, value: { id, state: 'COMPLETED' } as TransferJob },
      );
    }
    waiting.clear();
    await settled();
  };
  return { works, over, end, calls, only: () => works.list()[0] };
}

const FAILURE = { status: 409, code: 9107, message: 'there is one' };

describe('a job of many files', () => {
  it('is one, with sums and the items that failed', async () => {
    const { works, over, end, only } = start(3);
    await settled();
    expect(works.list()).toMatchObject([{ id: 'f0-1', ...PATHS, state: 'pending', total: 3, done: 0 }]);
    await end(['f1']);
    await expect(over).rejects.toThrow('there is one');
    expect(only()).toMatchObject({
      state: 'failed',
      total: 3,
      done: 2,
      failed: [{ source: '/from/f1', target: '/to/f1', failure: { code: 9107 } }],
    });
  });

  it('does what failed once more, and is waited for', async () => {
    const { works, end, calls, only } = start(3);
    await settled();
    await end(['f1']);
    const retried = works.retry('f0-1');
    await settled();
    expect(calls).toEqual([['f0', 'f1', 'f2'], ['f1']]);
    expect(only()).toMatchObject({ state: 'running', done: 2, failed: [] });
    const waited = works.wait('f0-1');
    await end();
    await retried;
    expect(await waited).toMatchObject({ id: 'f0-1', state: 'done', done: 3 });
  });

  it('that is cancelled begins nothing more', async () => {
    const held = deferred<void>();
    const { works, end, over, calls, only } = start(301, { holdSecondCall: held.promise });
    await settled();
    works.cancel('f0-1');
    held.resolve();
    await settled();
    await end();
    await expect(over).rejects.toThrow('cancelled before it began');
    expect(calls.map((call) => call.length)).toEqual([100, 100]);
    expect(only()).toMatchObject({ state: 'failed', total: 301, done: 200 });
    expect(only()?.failed).toHaveLength(101);
  });
});

describe('the jobs that are remembered', () => {
  it('are the last thousand that are over', () => {
    const works = new WorkTable(new FakeClock());
    for (let index = 0; index <= 1000; index += 1) {
      const work = works.begin({ kind: 'move', ...PATHS, items: [PATHS], again: async () => {} });
      const [item] = work.items;
      if (item) work.started(item, `j${index}`);
      works.updated(`j${index}`, 'done', undefined);
    }
    expect(works.list()).toHaveLength(1000);
    expect(works.get('j0')).toBeUndefined();
    expect(works.get('j1000')).toMatchObject({ state: 'done' });
  });
});
