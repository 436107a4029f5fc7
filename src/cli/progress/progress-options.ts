import type { Command } from 'commander';

/** Of a command that may wait for long, and has nothing else to tell than how far it is. */
export function withProgress(command: Command): Command {
  return command
    .option('-q, --quiet', 'show no progress', false)
    .option('--json', 'show the progress as lines of JSON on standard error', false);
}
