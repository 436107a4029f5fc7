import { DIALECTS, type Dialect } from '../contract/dialect.ts';
import { NETWORK } from './mount/network.ts';
import { WHERE } from './mount/where.ts';
import type { Option, OptionValues } from './option.ts';
import { parseEndpoint } from './option-text.ts';
import { PLATFORMS } from './platforms.ts';

const profile: Option<string> = {
  flags: '--profile <name>',
  help: 'profile of ~/.svcfs/credentials',
  default: 'default',
};

const platform: Option<string | undefined> = {
  flags: '--platform <name>',
  help: 'a platform that is known by name, in place of --endpoint',
  default: undefined,
  choices: Object.keys(PLATFORMS),
};

/** The variable is for commands that use a login: it would end up in a profile of another platform. */
const endpoint: Option<string | undefined> = {
  flags: '--endpoint <url>',
  help: WHERE.endpoint.help,
  default: undefined,
  defaultText: 'that of the profile, else that of the platform with the name of the profile',
  parse: parseEndpoint,
};

const tokenFile: Option<string | undefined> = {
  flags: '--token-file <file>',
  help: 'file that holds the token, or - for the standard input',
  default: undefined,
  defaultText: 'the token is asked for, and not shown',
};

const dialect: Option<Dialect | undefined> = {
  flags: '--dialect <name>',
  help: WHERE.dialect.help,
  default: undefined,
  defaultText: 'found out',
  choices: DIALECTS,
};

export const LOGIN_OPTIONS = { profile, platform, endpoint, tokenFile, dialect, ...NETWORK } as const;
export type LoginOptions = OptionValues<typeof LOGIN_OPTIONS>;

export const LOGOUT_OPTIONS = { profile } as const;
export type LogoutOptions = OptionValues<typeof LOGOUT_OPTIONS>;

const json: Option<boolean> = {
  flags: '--json',
  help: 'print JSON, for programs',
  default: false,
};

export const PROFILES_OPTIONS = { json } as const;
export type ProfilesOptions = OptionValues<typeof PROFILES_OPTIONS>;

export const WHOAMI_OPTIONS = { ...WHERE, ...NETWORK, json } as const;
export type WhoamiOptions = OptionValues<typeof WHOAMI_OPTIONS>;
