import { type Command, InvalidArgumentError } from 'commander';
import { wrapped } from '../describe/help-format.ts';
import { runTrace, type TraceOptions } from '../trace/run-trace.ts';

const DETAILS = `
Prints each operation of programs on a mount when it is answered, as strace(1) prints system calls: when it began, the program and its
process, the request of the kernel, the path in the mount, the result or the error with its reason, how long it took, and how many
requests to the API it cost. What the kernel answers from its own caches never reaches svcfs, and is not shown.

Without a path it shows the whole mount that the working directory is in, or the only one there is. It ends with Ctrl-C, with the mount,
and with the process of --pid. When operations come faster than they are read, it says how many it has dropped. With --json each line is
an object. A mount that nobody traces pays nothing for it.

Examples:
  svcfs trace ~/svc/projects/demo/trio-exomes
  svcfs trace --pid 4711
  svcfs trace --slow 500 --json | jq -r .path`;

export function addTraceCommand(program: Command): void {
  program
    .command('trace')
    .summary('show the operations of programs live')
    .description('Show the operations of programs on a mount live, with what each of them cost.')
    .argument('[path]', 'a path in a mount: what is there, and below')
    .option('--pid <process>', 'only those of this process, with all its threads', positive)
    .option('--slow <ms>', 'only those that took at least so many milliseconds', positive)
    .option('--json', 'print a JSON object a line, for programs', false)
    .addHelpText('after', wrapped(DETAILS))
    .action((path: string | undefined, options: TraceOptions) => runTrace(path, options));
}

function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Expected a whole number above 0.');
  return Number(text);
}
