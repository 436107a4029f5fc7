import type { Command } from 'commander';
import { describeJob } from '../describe/describe-job.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { selectMount } from '../mount/select-mount.ts';

const DETAILS = `
A mv or cp between a project and a volume is a job of the platform. When you interrupt such a command, the job goes on: it
is listed here, and you can wait for it again.

Without a mount point these commands take the mount that the working directory is in, or the only one there is.`;

export function addJobsCommand(program: Command): void {
  const jobs = program
    .command('jobs')
    .summary('list jobs that a mount started on the platform')
    .description('List jobs that a mount started on the platform, and wait for them.')
    .addHelpText('after', wrapped(DETAILS));
  jobs
    .command('list')
    .description('List the jobs, oldest first.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .action(list);
  jobs
    .command('wait')
    .description('Wait until a job is over; exit code 1 when it failed.')
    .argument('<id>', 'as svcfs jobs list shows it')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .action(wait);
}

async function list(mountPoint: string | undefined): Promise<void> {
  const { jobs } = await inquire(await selectMount(mountPoint), { request: 'jobs' });
  for (const job of jobs) console.log(describeJob(job));
}

async function wait(id: string, mountPoint: string | undefined): Promise<void> {
  const mount = await selectMount(mountPoint);
  const { job } = await inquire(mount, { request: 'wait', job: id });
  if (job === undefined)
    throw new CliError('failure', `no job ${id} of this mount; svcfs jobs list shows them`);
  if (job.state === 'failed') throw new CliError('failure', describeJob(job));
  console.log(describeJob(job));
}
