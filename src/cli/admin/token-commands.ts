import type { Command } from 'commander';
import { type AdminOptions, TOKEN_OPTIONS, type TokenOptions } from '../../config/admin-options.ts';
import type { Moment } from '../../config/option-text.ts';
import { tokenIdOf } from '../../service/operations/audit/audit-entry.ts';
import { hashToken } from '../../service/users/token-hash.ts';
import type { TokenRow } from '../../service/users/token-table.ts';
import { type Columns, printJson, printTable, shownTime } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

const COLUMNS: Columns<TokenRow> = {
  ID: ({ hash }) => tokenIdOf(hash),
  USER: ({ username }) => username,
  CREATED: ({ created_on }) => shownTime(created_on),
  EXPIRES: ({ expires_on }) => shownTime(expires_on),
  REVOKED: ({ revoked_on }) => shownTime(revoked_on),
  'LAST USED': ({ last_used_on }) => shownTime(last_used_on),
  NOTE: ({ note }) => note,
};

const REVOKE_OPTIONS = {
  user: { flags: '--user <name>', help: 'revoke all tokens of this user', default: undefined },
} as const;

type RevokeOptions = AdminOptions & { readonly user?: string };

export function addTokenCommands(admin: Command): void {
  const tokens = adminGroup(admin, 'tokens', 'Make, list and revoke the tokens of users and their programs.');
  adminCommand(tokens, 'create', {
    description: 'Make a token for a user and print it. It is shown only once: the service keeps its hash.',
    options: TOKEN_OPTIONS,
  })
    .argument('<user>')
    .action(create);
  adminCommand(tokens, 'list', { description: 'List tokens by their ids, without the tokens themselves.' })
    .argument('[user]', 'only tokens of this user')
    .action(list);
  adminCommand(tokens, 'revoke', {
    description: 'Revoke a token, from the next call on and at every process of the service.',
    options: REVOKE_OPTIONS,
  })
    .argument('[id]', 'id of the token, or its beginning (svcfs admin tokens list)')
    .action(revoke);
}

async function create(username: string, options: TokenOptions): Promise<void> {
  const { expires, note, json } = options;
  const { token, expiresMs } = await withOperator(options, async ({ operator, nowMs }) => {
    const until = expires && timeOf(expires, nowMs);
    if (until !== undefined && until <= nowMs)
      throw new CliError('usage', 'the token would have expired already');
    return { token: await operator.issueToken(username, { expiresMs: until, note }), expiresMs: until };
  });
  const id = tokenIdOf(hashToken(token));
  const expires_on = expiresMs === undefined ? null : new Date(expiresMs).toISOString();
  if (json) return printJson({ token, id, username, expires_on });
  console.log(token);
  // To stderr: TOKEN=$(svcfs admin tokens create NAME) takes the token alone.
  console.error(
    `token ${id} of ${username}, good until ${shownTime(expires_on) ?? 'it is revoked'}; it is not shown again\n` +
      'to mount with it, at the address that svcfs serve prints:\n' +
      '  svcfs login --endpoint http://HOST:PORT/v2    # asks for the token\n' +
      '  mkdir -p ~/svc && svcfs mount ~/svc',
  );
}

async function list(username: string | undefined, options: AdminOptions): Promise<void> {
  const rows = await withOperator(options, ({ tables }) => tables.tokens.list(username));
  if (!options.json) return printTable(rows, COLUMNS, 'no tokens; svcfs admin tokens create NAME makes one');
  printJson(rows.map(({ hash, ...row }) => ({ id: tokenIdOf(hash), ...row })));
}

async function revoke(id: string | undefined, options: RevokeOptions): Promise<void> {
  const { user, json } = options;
  if ((id === undefined) === (user === undefined)) {
    throw new CliError('usage', 'name one token by its id, or with --user all tokens of a user');
  }
  await withOperator(options, async ({ operator }) => {
    if (id !== undefined) {
      const { hash, username } = await operator.revokeTokenById(id);
      if (json) printJson({ id: tokenIdOf(hash), username });
      else console.log(`revoked ${tokenIdOf(hash)} of ${username}`);
    } else if (user !== undefined) {
      const count = await operator.revokeTokensOf(user);
      if (json) printJson({ username: user, count });
      else console.log(`revoked ${count} ${count === 1 ? 'token' : 'tokens'} of ${user}`);
    }
  });
}

function timeOf(moment: Moment, nowMs: number): number {
  return moment.kind === 'at' ? moment.ms : nowMs + moment.ms;
}
