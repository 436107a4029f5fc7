import type { Command } from 'commander';
import { addAuditCommand } from '../admin/audit-command.ts';
import { addBillingCommands } from '../admin/billing-commands.ts';
import { addMarkCommands } from '../admin/mark-commands.ts';
import { addSecretCommands } from '../admin/secret-commands.ts';
import { addTaskCommands } from '../admin/task-commands.ts';
import { addTokenCommands } from '../admin/token-commands.ts';
import { addUserCommands } from '../admin/user-commands.ts';
import { wrapped } from '../describe/help-format.ts';

const DETAILS = `
These commands work on the database of the service, whether or not it runs, and need the same access to it. Name it as for
svcfs serve, with --data or --database. The audit log records every change.

Examples:
  svcfs admin users add alice --email alice@example.org
  svcfs admin tokens create alice --expires 90d
  svcfs admin audit --user alice --since 7d`;

export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .summary('administer a service: users, tokens, audit log')
    .description('Administer a service: users, tokens, billing groups, marks, tasks, secrets, audit log.')
    .addHelpText('after', wrapped(DETAILS));
  addUserCommands(admin);
  addTokenCommands(admin);
  addBillingCommands(admin);
  addMarkCommands(admin);
  addTaskCommands(admin);
  addSecretCommands(admin);
  addAuditCommand(admin);
}
