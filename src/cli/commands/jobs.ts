import type { Command } from 'commander';
import type { WorkRecord } from '../../jobs/ports.ts';
import { describeJob } from '../describe/describe-job.ts';
import { describeWork } from '../describe/describe-work.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { selectMount } from '../mount/select-mount.ts';
import { jobStanding } from '../progress/job-standing.ts';
import { withProgress } from '../progress/progress-options.ts';
import { showing, type WaitOptions } from '../progress/show-progress.ts';
import { watchJobs } from '../watch-jobs.ts';

const DETAILS = `
A mv or cp between a project and a volume, and one of a folder, is a job of the platform. When you interrupt such a command, the
job goes on: it is listed here, and you can wait for it again. A folder is one job, with sums over its files.

The files in .svcfs/jobs/ID/ of a mount tell the same: state, progress (done, failed, total), source, destination, failed.tsv.
A mount remembers its last thousand finished jobs, of at most 100,000 files together, as long as it runs.

retry does the items that failed once more, and nothing that mv does after its job: what it would have removed stays. cancel
keeps items from beginning; the platform ends none that has begun.

Without a mount point these commands take the mount that the working directory is in, or the only one there is.`;

export function addJobsCommand(program: Command): void {
  const jobs = program
    .command('jobs')
    .summary('list jobs that a mount started on the platform')
    .description('List jobs that a mount started on the platform, wait for them, and retry what failed.')
    .addHelpText('after', wrapped(DETAILS));
  jobs
    .command('list')
    .description('List the jobs, oldest first.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .option('--watch', 'show changes until all jobs are over', false)
    .option('--json', 'print a line of JSON for each job', false)
    .action(list);
  ofJob(jobs, 'show', 'Show a job and each of its items that failed.')
    .option('--json', 'print JSON', false)
    .action(show);
  withProgress(ofJob(jobs, 'wait', 'Wait until a job is over; exit code 1 when it failed.')).action(wait);
  withProgress(
    ofJob(jobs, 'retry', 'Do the failed items of a job again, and wait; exit code 1 when some failed.'),
  ).action(retry);
  ofJob(jobs, 'cancel', 'Keep what has not begun of a job from beginning.').action(cancel);
}

function ofJob(jobs: Command, name: string, description: string): Command {
  return jobs
    .command(name)
    .description(description)
    .argument('<id>', 'as svcfs jobs list shows it')
    .argument('[mountpoint]', 'the mount point, or a path below it');
}

interface ListOptions {
  readonly watch: boolean;
  readonly json: boolean;
}

async function list(mountPoint: string | undefined, { watch, json }: ListOptions): Promise<void> {
  const mount = await selectMount(mountPoint);
  const show = (job: WorkRecord): string => (json ? JSON.stringify(job) : describeWork(job));
  const ask = async (): Promise<readonly WorkRecord[]> => (await inquire(mount, { request: 'jobs' })).jobs;
  if (watch) return watchJobs(ask, show);
  for (const job of await ask()) console.log(show(job));
}

async function show(id: string, mountPoint: string | undefined, { json }: ListOptions): Promise<void> {
  const job = await askAbout('get', id, await selectMount(mountPoint));
  console.log(json ? JSON.stringify(job, undefined, 2) : describeWork(job));
  if (!json) sayFailed(job);
}

async function wait(id: string, mountPoint: string | undefined, options: WaitOptions): Promise<void> {
  report(await askLong('wait', id, { mountPoint, options }));
}

async function retry(id: string, mountPoint: string | undefined, options: WaitOptions): Promise<void> {
  report(await askLong('retry', id, { mountPoint, options }));
}

interface Waiting {
  readonly mountPoint: string | undefined;
  readonly options: WaitOptions;
}

/** Shows how far the job is until it is over. */
async function askLong(
  action: 'wait' | 'retry',
  id: string,
  { mountPoint, options }: Waiting,
): Promise<WorkRecord> {
  const mount = await selectMount(mountPoint);
  return showing(jobStanding(mount, id), options, () => askAbout(action, id, mount));
}

async function cancel(id: string, mountPoint: string | undefined): Promise<void> {
  console.log(describeWork(await askAbout('cancel', id, await selectMount(mountPoint))));
}

async function askAbout(
  action: 'get' | 'wait' | 'retry' | 'cancel',
  id: string,
  mount: SvcfsMount,
): Promise<WorkRecord> {
  const { job } = await inquire(mount, { request: 'job', action, job: id });
  if (job === undefined)
    throw new CliError('failure', `no job ${id} of this mount; svcfs jobs list shows them`);
  return job;
}

function report(job: WorkRecord): void {
  if (job.state === 'failed') {
    if (job.total > 1) sayFailed(job);
    throw new CliError('failure', describeWork(job));
  }
  console.log(describeWork(job));
}

function sayFailed({ id, kind, failed }: WorkRecord): void {
  for (const { source, target, failure } of failed)
    console.log(`  ${describeJob({ id, kind, source, target, failure, ...FAILED }).slice(id.length + 1)}`);
}

const FAILED = { state: 'failed', startedMs: 0, finishedMs: undefined } as const;
