import type { Command } from 'commander';
import type { AdminOptions } from '../../config/admin-options.ts';
import type { BillingGroupRow } from '../../service/billing/billing-group-table.ts';
import { type Columns, printJson, printTable, shownTime } from '../describe/print-table.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

const COLUMNS: Columns<BillingGroupRow> = {
  ID: ({ id }) => id,
  OWNER: ({ owner }) => owner,
  NAME: ({ name }) => name,
  CREATED: ({ created_on }) => shownTime(created_on),
};

export function addBillingCommands(admin: Command): void {
  const billing = adminGroup(
    admin,
    'billing',
    'Make and list billing groups, which projects charge their costs to.',
  );
  adminCommand(billing, 'create', { description: 'Make a billing group and print its id.' })
    .argument('<owner>', 'the user who sees its costs and may bill projects to it')
    .argument('<name>', 'how people know it')
    .action(create);
  adminCommand(billing, 'list', { description: 'List the billing groups.' }).action(list);
  adminCommand(billing, 'owner', { description: 'Give a billing group to another user.' })
    .argument('<id>', 'as svcfs admin billing list shows it')
    .argument('<user>')
    .action(setOwner);
}

async function create(owner: string, name: string, options: AdminOptions): Promise<void> {
  const id = await withOperator(options, ({ operator }) => operator.createBillingGroup(owner, name));
  if (options.json) printJson({ id, owner, name });
  else console.log(id);
}

async function list(options: AdminOptions): Promise<void> {
  const rows = await withOperator(options, ({ tables }) => tables.billingGroups.all());
  if (options.json)
    printJson(rows.map(({ id, owner, name, created_on }) => ({ id, owner, name, created_on })));
  else printTable(rows, COLUMNS, 'no billing groups; svcfs admin billing create OWNER NAME makes one');
}

async function setOwner(id: string, owner: string, options: AdminOptions): Promise<void> {
  await withOperator(options, ({ operator }) => operator.setBillingGroupOwner(id, owner));
  if (options.json) printJson({ id, owner });
  else console.log(`${id} belongs to ${owner}`);
}
