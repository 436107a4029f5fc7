import { type AsyncWork, isResult } from './async-work.ts';
import type { FinishedAsync } from './finished-job.ts';
import type { RunContext } from './run-context.ts';

/**
 * The entries of a request that are still to do, after a job that may be another client's is over. A job does not tell
 * its request, so this looks at the entries. A copy leaves them as they were, so this looks at its results.
 */
export async function leftToDo(
  work: AsyncWork,
  job: FinishedAsync,
  { api, signal }: Pick<RunContext, 'api' | 'signal'>,
): Promise<readonly string[]> {
  if (work.kind === 'copy') {
    const results = job.ok ? job.value.results : [];
    return results.some((each) => each.ok && each.value && isResult(each.value, work)) ? [] : work.files;
  }
  const entries = await api.files.bulkGet(work.files, { signal });
  return work.files.filter((_, index) => {
    const entry = entries[index];
    if (!entry?.ok) {
      return entry?.failure.status !== 404;
    }
    return !isResult(entry.value, work);
  });
}
