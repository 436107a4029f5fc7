import { type Command, InvalidArgumentError, Option } from 'commander';
import { LOG_LEVELS, type LogLevel } from '../../observe/logger.ts';
import { wrapped } from '../describe/help-format.ts';
import { type ShowOptions, showLog } from '../log/show-log.ts';
import { inquire } from '../mount/inquire.ts';
import { selectMount } from '../mount/select-mount.ts';

const DETAILS = `
Prints the last lines of the log of a mount as text, also of one that has ended. A request id stands in errors of svcfs why, in the log,
and in the log of the service: --request finds its lines, in the log of a demo's service too.

The log is ~/.local/state/svcfs/NAME/mount.log, in JSON unless the mount has --log-format text. When it is larger than
--log-size, or the mount's process gets SIGHUP, it becomes mount.log.1, and older ones .2 and .3.

Examples:
  svcfs log -f --level warn
  svcfs log ~/svc --request 5f0c1e
  svcfs log level debug`;

const LEVEL_DETAILS = `
Without a level it prints the one in force. With debug there is a line for each request and each operation. The level holds until
the mount ends, or another is set.`;

export function addLogCommand(program: Command): void {
  const log = program
    .command('log')
    .summary('show the log of a mount, follow it, or set its level')
    .description('Show the log of a mount.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .option('-f, --follow', 'go on with the lines to come, until Ctrl-C', false)
    .option('-n, --lines <count>', 'how many of the last lines', countOf, 50)
    .addOption(new Option('--level <level>', 'the least severe lines to show').choices(LOG_LEVELS))
    .option('--request <id>', 'the lines about one request')
    .option('--json', 'print the lines as they are, for programs', false)
    .addHelpText('after', wrapped(DETAILS))
    .action((path: string | undefined, options: ShowOptions) => showLog(path, options));
  log
    .command('level')
    .summary('show or change how much a running mount logs')
    .description('Show or change how much a running mount logs.')
    .addArgument(
      log.createArgument('[level]', 'the least severe messages that go to the log').choices(LOG_LEVELS),
    )
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .addHelpText('after', wrapped(LEVEL_DETAILS))
    .action(setLevel);
}

async function setLevel(level: LogLevel | undefined, path: string | undefined): Promise<void> {
  const mount = await selectMount(path);
  const { level: now } = await inquire(
    mount,
    level === undefined ? { request: 'log' } : { request: 'log', level },
  );
  console.log(`${mount.mountPoint}: ${now}`);
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}
