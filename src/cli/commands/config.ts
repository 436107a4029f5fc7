import type { Command } from 'commander';
import { type ConfigFile, configFilePaths } from '../../config/file/config-file.ts';
import { NOT_IN_FILES } from '../config/check-names.ts';
import { describeRows, rowsOf } from '../config/option-rows.ts';
import { readChecked, settingsOf } from '../config/sources.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';

const DETAILS = `
Options of commands can stand in ~/.config/svcfs/config.toml and in /etc/svcfs/config.toml, by their names without dashes:

  [mount]
  metadata-ttl = 30

  [profile.lab.mount]
  read-only = true

  [mountpoint."/mnt/svc".mount]
  profile = "lab"

The command line goes before a variable, a variable before a file. In the files a mount point goes before a profile, and a
profile before the table of the command. SVCFS_CONFIG or --config names a file that stands in for both.

Examples:
  svcfs config show                    options of svcfs mount
  svcfs config show mount /mnt/svc     as a mount on /mnt/svc would have them
  svcfs config show serve`;

interface ShowOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly json: boolean;
}

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .summary('show which options count, and where they come from')
    .description('Show which options count, and where they come from.')
    .addHelpText('after', wrapped(DETAILS));
  config
    .command('show')
    .summary('show the value of each option of a command, and its source')
    .description('Show the value of each option of a command, and where it comes from.')
    .argument('[command]', 'command whose options to show', 'mount')
    .argument('[mountpoint]', 'mount point whose settings count')
    .option('--profile <name>', 'profile whose settings count')
    .option('--config <file>', 'configuration file to read')
    .option('--json', 'print JSON, for programs', false)
    .action((name: string, mountPoint: string | undefined, options: ShowOptions) =>
      show(program, name, { ...options, mountPoint }),
    );
}

async function show(
  program: Command,
  name: string,
  { config, json, ...place }: ShowOptions & { readonly mountPoint: string | undefined },
): Promise<void> {
  const command = find(program, name.split(' '));
  const files = await readChecked(program, config);
  const settings = settingsOf(command, files, place);
  const rows = rowsOf(command, settings).filter(({ option }) => !NOT_IN_FILES.has(option));
  if (json) console.log(JSON.stringify({ files: files.map(({ path }) => path), options: rows }, null, 2));
  else console.log([...describeFiles(files, config), '', ...describeRows(rows)].join('\n'));
}

function find(program: Command, names: readonly string[]): Command {
  let command = program;
  for (const name of names) {
    const inner = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    if (inner === undefined) throw new CliError('usage', `unknown command '${names.join(' ')}'`);
    command = inner;
  }
  return command;
}

function describeFiles(files: readonly ConfigFile[], named: string | undefined): readonly string[] {
  return configFilePaths(process.env, named).map((path) =>
    files.some((file) => file.path === path) ? path : `${path} (does not exist)`,
  );
}
