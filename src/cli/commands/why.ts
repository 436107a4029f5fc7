import type { Command } from 'commander';
import { printable } from '../../lib/printable.ts';
import { describeFailure } from '../describe/describe-failure.ts';
import { describeJob } from '../describe/describe-job.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { locate } from '../mount/select-mount.ts';

const DETAILS = `
Tells the last operation that failed at a path of a mount and has not succeeded since: what it was, how long ago, the
request, and what to do about it. While calls wait for the service or its rate limit, it tells until when. It also tells
why nobody may write at the path, which the kernel refuses by the mode bits, without asking svcfs.

The path need not exist. A file that could not be made is found under its own path and under its directory; a directory
that cannot be entered, under every path below it.`;

export function addWhyCommand(program: Command): void {
  program
    .command('why')
    .summary('tell why an operation failed')
    .description('Tell what failed last at a path of a mount, and what to do about it.')
    .argument('<path>', 'a path in a mount')
    .addHelpText('after', wrapped(DETAILS))
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
