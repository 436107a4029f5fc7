import type { Command } from 'commander';
import type { AdminOptions } from '../../config/admin-options.ts';
import type { Option } from '../../config/option.ts';
import type { UserRow } from '../../service/users/user-table.ts';
import { type Columns, printJson, printTable, shownTime } from '../describe/print-table.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

const text = (flags: string, help: string): Option<string | undefined> => ({
  flags,
  help,
  default: undefined,
});

const ADD_OPTIONS = {
  email: text(
    '--email <address>',
    'address that no other user has (default: NAME if it is an address, else NAME@example.org)',
  ),
  firstName: text('--first-name <name>', 'first name that the API shows'),
  lastName: text('--last-name <name>', 'last name that the API shows'),
} as const;

type AddOptions = AdminOptions & { readonly [Name in keyof typeof ADD_OPTIONS]: string | undefined };

const COLUMNS: Columns<UserRow> = {
  USER: ({ username }) => username,
  EMAIL: ({ email }) => email,
  CREATED: ({ created_on }) => shownTime(created_on),
  DISABLED: ({ disabled_on }) => shownTime(disabled_on),
};

export function addUserCommands(admin: Command): void {
  const users = adminGroup(admin, 'users', 'Add, list, disable and enable users.');
  adminCommand(users, 'add', {
    description: 'Add a user. Then make a token: svcfs admin tokens create NAME',
    options: ADD_OPTIONS,
  })
    .argument('<name>', 'letters, digits and . _ @ -; it is part of the ids of the user’s projects')
    .action(add);
  adminCommand(users, 'list', { description: 'List the users.' }).action(list);
  adminCommand(users, 'disable', {
    description:
      'Disable a user: every token is refused from the next call on, and no job of the user begins.',
  })
    .argument('<name>')
    .action((name: string, options: AdminOptions) => setDisabled(name, true, options));
  adminCommand(users, 'enable', { description: 'Let a disabled user in again.' })
    .argument('<name>')
    .action((name: string, options: AdminOptions) => setDisabled(name, false, options));
}

async function add(name: string, options: AddOptions): Promise<void> {
  const { email, firstName: first_name, lastName: last_name, json } = options;
  await withOperator(options, ({ operator }) =>
    operator.createUser(name, {
      ...(email === undefined ? {} : { email }),
      profile: { ...(first_name ? { first_name } : {}), ...(last_name ? { last_name } : {}) },
    }),
  );
  if (json) printJson({ username: name });
  else console.log(`added ${name}; svcfs admin tokens create ${name} makes a token`);
}

async function list(options: AdminOptions): Promise<void> {
  const rows = await withOperator(options, ({ tables }) => tables.users.list());
  if (!options.json) return printTable(rows, COLUMNS, 'no users; svcfs admin users add NAME adds one');
  printJson(
    rows.map(({ username, email, created_on, disabled_on }) => ({
      username,
      email,
      created_on,
      disabled_on,
    })),
  );
}

async function setDisabled(username: string, disabled: boolean, options: AdminOptions): Promise<void> {
  await withOperator(options, ({ operator }) => operator.setDisabled(username, disabled));
  if (options.json) printJson({ username, disabled });
  else console.log(`${disabled ? 'disabled' : 'enabled'} ${username}`);
}
