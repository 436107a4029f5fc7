import type { Command } from 'commander';
import { NETWORK } from '../config/mount/network.ts';
import { CliError } from './exit-codes.ts';

/** A command line is shown to everybody on the machine, before a program could hide it. */
export function refuseShownPassword(command: Command): void {
  const proxy = command.getOptionValue('proxy') as string | undefined;
  if (command.getOptionValueSource('proxy') !== 'cli' || !proxy?.includes('@')) return;
  throw new CliError(
    'usage',
    `--proxy takes no user and password, which ps would show to everybody: put the URL into ${NETWORK.proxy.environment}`,
  );
}
