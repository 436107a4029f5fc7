import type { Command } from 'commander';
import { printable } from '../../lib/printable.ts';
import { describeFailure } from '../describe/describe-failure.ts';
import { describeJob } from '../describe/describe-job.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { locate } from '../mount/select-mount.ts';

const DETAILS = `
Says what failed last at a path of a mount and has not succeeded since: which operation, how long ago, with the request and
what to do about it. While calls wait for the service or its rate limit it says until when. Why something could not be made
is told for its path and for the directory it was to be in; why a directory cannot be entered, for all below it. There
need be nothing at the path.`;

export function addWhyCommand(program: Command): void {
  program
    .command('why')
    .summary('why an operation failed')
    .description('Tell what failed last at a path.')
    .argument('<path>', 'a path in a mount')
    .addHelpText('after', DETAILS)
    .action(why);
}

async function why(path: string): Promise<void> {
  const located = await locate(path);
  if (located === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
  const { failure, job, circumstances } = await inquire(located.mount, {
    request: 'why',
    path: located.path,
  });
  if (failure !== undefined) {
    console.log(describeFailure(failure, Date.now()));
  } else {
    console.log(`nothing has failed at ${printable(located.path)}`);
  }
  for (const circumstance of circumstances) console.log(`now: ${circumstance}`);
  if (job !== undefined) console.log(`job ${describeJob(job)}`);
}
