import { runFileJob } from './file-jobs/run-file-job.ts';
import { ServiceError } from './http/service-error.ts';
import { type JobWork, recordEnd, underLease } from './jobs/job-run.ts';
import type { JobWorks } from './jobs/worker.ts';
import type { Services } from './services.ts';
import { failTask, runTask } from './task-runs/run-task.ts';
import { failTransfer } from './transfers/record-transfer-end.ts';
import { runExport } from './transfers/run-export.ts';
import { runImport } from './transfers/run-import.ts';
import { usersIn } from './users/user-table.ts';

const fileWork: JobWork<Services> = {
  run: runFileJob,
  fail: (run, failure) => underLease(run, (tx) => recordEnd(tx, run, { failure })),
};

/** How the jobs of each kind are done. */
export const JOB_WORKS: JobWorks<Services> = {
  import: ofEnabledUser({ run: runImport, fail: failTransfer }),
  export: ofEnabledUser({ run: runExport, fail: failTransfer }),
  copy: ofEnabledUser(fileWork),
  move: ofEnabledUser(fileWork),
  delete: ofEnabledUser(fileWork),
  task: ofEnabledUser({ run: runTask, fail: failTask }),
};

/** The jobs of a user who has been disabled since fail with 90002. */
function ofEnabledUser({ run, fail }: JobWork<Services>): JobWork<Services> {
  return {
    run: async (each) => {
      const { created_by } = each.job;
      const user = await usersIn(each.services.store).find(created_by);
      if (user?.disabled_on) throw new ServiceError(90002, `The user ${created_by} is disabled.`);
      await run(each);
    },
    fail,
  };
}
