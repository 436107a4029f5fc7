import type { BulkResult, TransferJob } from '../../api/model.ts';
import { type FinishedTransfer, failureOf } from '../../jobs/finished-job.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import type { JobWatch } from '../../jobs/job-watch.ts';
import { DONE, failed, type Outcome } from '../item.ts';
import type { Export, Import } from '../step.ts';
import type { RunContext } from './run-context.ts';
import { waitFor } from './run-job.ts';
import { placeOf } from './run-single.ts';

/** At most 100 exports, until they are over. */
export async function runExports(
  items: readonly Export[],
  copyOnly: boolean,
  { api, watches, signal, waits }: RunContext,
): Promise<readonly Outcome[]> {
  const requests = items.map(({ id, volume, location, overwrite }) => ({
    file: id,
    volume,
    location,
    overwrite,
  }));
  const outcomes = await outcomesOf(await api.transfers.startExports(requests, copyOnly), watches.export, {
    signal,
    waits,
  });
  // Exported before, by a run that was interrupted.
  return Promise.all(
    outcomes.map(async (outcome, index) => {
      const item = items[index];
      if (outcome.kind !== 'failed' || item === undefined) return outcome;
      const file = await api.files.get(item.id).catch(() => undefined);
      return file?.kind === 'file' && isAliasOf(file, item) ? DONE : outcome;
    }),
  );
}

/** At most 100 imports, until they are over. */
export async function runImports(
  items: readonly Import[],
  { api, watches, signal, waits }: RunContext,
): Promise<readonly Outcome[]> {
  const places = items.map(({ to }) => placeOf(to));
  const sent = items.flatMap(({ volume, location, overwrite }, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ volume, location, overwrite, ...place }];
  });
  const answers = sent.length === 0 ? [] : await api.transfers.startImports(sent);
  const outcomes = await outcomesOf(answers, watches.import, { signal, waits });
  let next = 0;
  return items.map((_, index) => {
    if (places[index] === undefined) return failed('the folder that it goes to could not be made');
    next += 1;
    return outcomes[next - 1] ?? failed('the answer does not tell of it');
  });
}

async function outcomesOf(
  answers: readonly BulkResult<TransferJob>[],
  watch: JobWatch<FinishedTransfer>,
  { signal, waits }: Pick<RunContext, 'signal' | 'waits'>,
): Promise<readonly Outcome[]> {
  if (!waits)
    return answers.map((answer) =>
      answer.ok ? { kind: 'started', job: answer.value.id } : failed(answer.failure.message),
    );
  watch.add(answers.flatMap((answer) => (answer.ok ? [answer.value.id] : [])));
  return Promise.all(
    answers.map(async (answer): Promise<Outcome> => {
      const finished = answer.ok ? await waitFor(watch.wait(answer.value.id, signal), signal) : answer;
      if (finished === undefined) {
        const id = answer.ok ? answer.value.id : '';
        return { kind: 'goes on', reason: `job ${id} goes on at the platform` };
      }
      const failure = failureOf(finished);
      return failure ? failed(failure.message) : DONE;
    }),
  );
}
