import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import type { BillingOptions } from '../billing/show-billing.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
A GROUP is an id, or a name as the list shows it. Amounts are printed digit by digit as the platform wrote them.

Examples:
  svcfs billing
  svcfs billing 'Lab funds' --tasks
  svcfs billing 'Lab funds' --json | jq -r .total_spending.amount`;

export function addBillingCommand(program: Command): void {
  const command = program
    .command('billing')
    .summary('list billing groups, and what one of them paid for')
    .description('List the billing groups that you see, or what one of them paid for.')
    .argument('[group]', 'the id or the name of a billing group')
    .option('--tasks', 'a line for each task, in place of one for each project', false)
    .option('--json', 'print JSON: of a group, what the platform answers', false);
  withPlatform(command)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (group: string | undefined, options: BillingOptions & PlatformOptions) =>
      (await import('../billing/show-billing.ts')).showBilling(group, options, contextOf(options, command)),
    );
}
