import { DIALECTS, type Dialect } from '../../contract/dialect.ts';
import type { Option } from '../option.ts';
import { parseEndpoint } from '../option-text.ts';

const endpoint: Option<string | undefined> = {
  flags: '--endpoint <url>',
  help: 'API endpoint, such as https://api.example.org/v2',
  environment: 'SVC_API_ENDPOINT',
  default: undefined,
  parse: parseEndpoint,
};

const tokenFile: Option<string | undefined> = {
  flags: '--token-file <file>',
  help: 'file that holds the authentication token and that only you may read; or put the token into SVC_AUTH_TOKEN',
  default: undefined,
};

const profile: Option<string | undefined> = {
  flags: '--profile <name>',
  help: 'profile of ~/.svcfs/credentials, else of ~/.sevenbridges/credentials; goes before the environment',
  default: undefined,
  defaultText: 'default',
};

const dialect: Option<Dialect | undefined> = {
  flags: '--dialect <name>',
  help: 'words of the service: svc as its API document has them, sbg as the platform has them',
  environment: 'SVCFS_DIALECT',
  default: undefined,
  defaultText: 'that of the profile, else found out',
  choices: DIALECTS,
};

const config: Option<string | undefined> = {
  flags: '--config <file>',
  help: 'configuration file, in place of ~/.config/svcfs/config.toml and /etc/svcfs/config.toml (svcfs help config)',
  environment: 'SVCFS_CONFIG',
  default: undefined,
};

/** Which platform a mount shows, and as whom. */
export const WHERE = { endpoint, tokenFile, profile, dialect, config } as const;
