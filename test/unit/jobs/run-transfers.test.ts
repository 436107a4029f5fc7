import { describe, expect, it } from 'vitest';
import type { FileRecord, TransferJob } from '../../../src/api/model.ts';
import type { FinishedTransfer } from '../../../src/jobs/finished-job.ts';
import { JobTable } from '../../../src/jobs/job-table.ts';
import type { JobWatch } from '../../../src/jobs/job-watch.ts';
import { runTransfers, type TransferRun } from '../../../src/jobs/run-transfers.ts';
import { deferred } from '../../../src/lib/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function jobIn(state: TransferJob['state'], id: string): FinishedTransfer {
  return { ok: true, value: { id, state } as TransferJob };
}

/** Imports of these names, which go on until `end` is called for them; `changes` make the run another one. */
function running(names: readonly string[], changes: Partial<TransferRun<string>>) {
  const jobs = new Map(names.map((name) => [name, deferred<FinishedTransfer>()]));
  const run: TransferRun<string> = {
    kind: 'import',
    start: async (ids) => ids.map((id) => jobIn('PENDING', id)),
    alreadyDone: async () => undefined,
    resultOf: async (id) => ({ id }) as FileRecord,
    table: new JobTable(new FakeClock()),
    watch: {
      add: () => {},
      wait: (id: string) => jobs.get(id)?.promise,
    } as unknown as JobWatch<FinishedTransfer>,
    signal: undefined,
    ...changes,
  };
  let outcome = 'goes on';
  const transfers = names.map((name) => ({
    request: name,
    path: name,
    paths: { source: name, target: name },
  }));
  const over = runTransfers(transfers, run).then(
    () => {
      outcome = 'done';
    },
    ({ message }: Error) => {
      outcome = message;
    },
  );
  const end = (ids: readonly string[]): void => {
    for (const id of ids) jobs.get(id)?.resolve(jobIn('COMPLETED', id));
  };
  return { over, end, outcome: () => outcome };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('transfers of which some fail', () => {
  it('are over when those that were started before are, though the next ones could not be started', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `j${index}`);
    const { over, end, outcome } = running(names, {
      start: async (ids) => {
        if (ids.length === 1) throw new Error('the service is away');
        return ids.map((id) => jobIn('PENDING', id));
      },
    });
    await settled();
    expect(outcome()).toBe('goes on');
    end(names);
    await over;
    expect(outcome()).toBe('the service is away');
  });

  it('are over when all are, though of one it cannot be told what it made', async () => {
    const { over, end, outcome } = running(['a', 'b'], {
      resultOf: async () => {
        throw new Error('no answer');
      },
    });
    end(['a']);
    await settled();
    expect(outcome()).toBe('goes on');
    end(['b']);
    await over;
    expect(outcome()).toBe('no answer');
  });
});
