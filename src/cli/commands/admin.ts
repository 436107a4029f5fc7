import type { Command } from 'commander';
import { addAuditCommand } from '../admin/audit-command.ts';
import { addBillingCommands } from '../admin/billing-commands.ts';
import { addMarkCommands } from '../admin/mark-commands.ts';
import { addSecretCommands } from '../admin/secret-commands.ts';
import { addTaskCommands } from '../admin/task-commands.ts';
import { addTokenCommands } from '../admin/token-commands.ts';
import { addUserCommands } from '../admin/user-commands.ts';

const DETAILS = `
Works on the service's database, whether or not the service runs, and needs the access to it that the service has: name
it as to svcfs serve, by --data or --database. What is changed is in the audit log.

Examples:
  svcfs admin users add alice --email alice@example.org
  svcfs admin tokens create alice --expires 90d
  svcfs admin audit --user alice --since 7d`;

export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .summary('users, tokens, audit log of a service')
    .description('Administer a service: users, tokens, billing groups, marks, tasks, secrets, audit log.')
    .addHelpText('after', DETAILS);
  addUserCommands(admin);
  addTokenCommands(admin);
  addBillingCommands(admin);
  addMarkCommands(admin);
  addTaskCommands(admin);
  addSecretCommands(admin);
  addAuditCommand(admin);
}
