import { type Command, InvalidArgumentError } from 'commander';
import { wrapped } from '../describe/help-format.ts';
import { runTop, type TopOptions } from '../top/run-top.ts';

const DETAILS = `
Shows bytes read and written by programs, fetched from stores and sent to them; operations by kind, with how long half of them (p50) and
all but one in a hundred (p99) took; requests to the API, what is left of their limit, and the programs that spend it; uploads and parts
in flight; cache hits; and the paths with the slowest operations of the last minute. Small files go to the service inside a request,
and are not among the bytes sent to stores.

Keys: q quits, p pauses, s sorts operations by rate, p99 or name, h helps. Without a terminal, or with --once, it prints one block after
one interval and ends.

Examples:
  svcfs top ~/svc
  svcfs top --interval 10 --once >> activity.txt`;

const LONGEST_S = 3600;

export function addTopCommand(program: Command): void {
  program
    .command('top')
    .summary('watch what happens on a mount')
    .description('Watch what happens on a mount.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .option('--interval <seconds>', 'time between two looks', secondsOf, 1)
    .option('--once', 'print one block, and end', false)
    .addHelpText('after', wrapped(DETAILS))
    .action((path: string | undefined, options: TopOptions) => runTop(path, options));
}

function secondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds < 0.1 || seconds > LONGEST_S)
    throw new InvalidArgumentError(`Expected a number of seconds from 0.1 to ${LONGEST_S}.`);
  return seconds;
}
