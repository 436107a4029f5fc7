import { isFinished } from '../jobs/job-table.ts';
import type { WorkRecord } from '../jobs/ports.ts';
import { systemClock } from '../lib/clock.ts';

const PERIOD_MS = 1000;
const CLEAR = '\u001b[H\u001b[J';

/** Shows jobs until all are over: live on a terminal, else a line for each change. */
export async function watchJobs(
  ask: () => Promise<readonly WorkRecord[]>,
  show: (job: WorkRecord) => string,
): Promise<void> {
  const shown = new Map<string, string>();
  for (;;) {
    const jobs = await ask();
    const changed = jobs
      .map((job) => ({ id: job.id, line: show(job) }))
      .filter(({ id, line }) => shown.get(id) !== line);
    for (const { id, line } of changed) shown.set(id, line);
    if (process.stdout.isTTY && changed.length > 0)
      process.stdout.write(CLEAR + [...shown.values()].map((line) => `${line}\n`).join(''));
    else for (const { line } of changed) console.log(line);
    if (jobs.every(({ state }) => isFinished(state))) return;
    await systemClock.sleep(PERIOD_MS);
  }
}
