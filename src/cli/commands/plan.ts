import { Argument, type Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { wrapped } from '../describe/help-format.ts';
import type { ShellCommand } from '../plan/shell-arguments.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
Tells what cp(1), mv(1) or rm(1) would do on a mount: requests, jobs, bytes, and the time at what is left of the request limit.
Nothing is done. Options of svcfs plan come before the command, those of the command after it, as -r -a -p -n -u -f -v -t -T.

The requests that change something are those that then happen. To look, a mount that has listed the folders before takes
fewer; questions how jobs are do not count. svcfs cp, mv and rm do the same by fewer requests: see their --dry-run.

Examples:
  svcfs plan rm -r ~/svc/projects/me/study/run7
  svcfs plan mv run7 ~/svc/volumes/me/bucket/
  svcfs plan --json cp -a /data/run7 ~/svc/projects/me/study/`;

export function addPlanCommand(program: Command): void {
  const command = program
    .command('plan')
    .summary('what cp, mv or rm of the shell would cost')
    .description('Tell the requests, jobs and time of cp(1), mv(1) or rm(1) on a mount.')
    .addArgument(new Argument('<command>', 'the command').choices(['cp', 'mv', 'rm']))
    .argument('<args...>', 'its options and paths')
    .option('--json', 'print one line of JSON', false)
    .passThroughOptions();
  withPlatform(command)
    .addHelpText('after', wrapped(DETAILS))
    .action(
      async (name: ShellCommand, args: string[], options: PlatformOptions & { readonly json: boolean }) => {
        const { planShell } = await import('../plan/plan-shell.ts');
        await planShell(name, args, options.json, contextOf(options, command));
      },
    );
}
