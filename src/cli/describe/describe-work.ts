import type { WorkRecord } from '../../jobs/ports.ts';
import { describeJob } from './describe-job.ts';

/** As `describeJob`, one line, with sums where there are several items. */
export function describeWork(work: WorkRecord): string {
  const { total, done, failed } = work;
  if (total === 1) return describeJob(work);
  const line = describeJob({ ...work, failure: undefined });
  const failures = failed.length === 0 ? '' : `, ${failed.length} failed`;
  return `${line} (${done} of ${total} done${failures})`;
}
