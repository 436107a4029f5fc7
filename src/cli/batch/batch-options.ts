import { type Command, Option } from 'commander';
import { withPlatform } from '../platform/command-options.ts';

/** The options that all commands for many files have. */
export function withBatchOptions(command: Command): Command {
  return withPlatform(
    command
      .option('-v, --verbose', 'print a line for each item', false)
      .option('-q, --quiet', 'show no progress', false)
      .option('--json', 'print one line of JSON for each item', false)
      .option('--dry-run', 'print what would be done, its requests and its time; change nothing', false),
  );
}

/** `-r`, which rm(1) and cp(1) take as `-R` as well. */
export function withRecursive(command: Command, help: string): Command {
  return command
    .option('-r, --recursive', help, false)
    .addOption(new Option('-R').hideHelp())
    .on('option:R', () => void command.setOptionValue('recursive', true));
}
