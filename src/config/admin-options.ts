import type { Option, OptionValues } from './option.ts';
import { type Moment, parseCountFrom, parseMoment } from './option-text.ts';
import { data, database, secretKeyFile } from './serve-options.ts';

const json: Option<boolean> = {
  flags: '--json',
  help: 'print JSON, for programs',
  default: false,
};

/** Of every command of `svcfs admin`: which service it is about, as `svcfs serve` is told, and how to print. */
export const ADMIN_OPTIONS = { data, database, json } as const;

export type AdminOptions = OptionValues<typeof ADMIN_OPTIONS>;

const filter = (flags: string, help: string): Option<string | undefined> => ({
  flags,
  help,
  default: undefined,
});
const moment = (flags: string, help: string): Option<Moment | undefined> => ({
  flags,
  help,
  default: undefined,
  parse: parseMoment,
});

const limit: Option<number> = {
  flags: '--limit <count>',
  help: 'how many entries to show at most, the newest ones',
  default: 100,
  parse: parseCountFrom(1, 1_000_000),
};

export const AUDIT_OPTIONS = {
  user: filter('--user <name>', 'entries of this user, or of an operator as operator:NAME'),
  action: filter('--action <action>', 'an action such as file.delete, or file for all actions on files'),
  object: filter('--object <id>', 'entries about this file, project, volume, task, token …'),
  since: moment('--since <when>', 'entries from then on: 2h or 7d ago, or 2027-01-31T12:00:00Z'),
  until: moment('--until <when>', 'entries before then'),
  limit,
} as const;

export type AuditOptions = AdminOptions & OptionValues<typeof AUDIT_OPTIONS>;

export const TOKEN_OPTIONS = {
  expires: moment(
    '--expires <when>',
    'how long or until when it is valid: 90d, or 2027-01-31 (default: until it is revoked)',
  ),
  note: filter('--note <text>', 'what it is for; svcfs admin tokens list shows it'),
} as const;

export type TokenOptions = AdminOptions & OptionValues<typeof TOKEN_OPTIONS>;

export const SECRETS_OPTIONS = { secretKeyFile } as const;

export type SecretsOptions = AdminOptions & OptionValues<typeof SECRETS_OPTIONS>;
