import { homedir } from 'node:os';
import type { Command } from 'commander';
import { credentialFiles } from '../../config/credentials.ts';
import {
  PROFILES_OPTIONS,
  type ProfilesOptions,
  WHOAMI_OPTIONS,
  type WhoamiOptions,
} from '../../config/login-options.ts';
import { ProfileFile } from '../../config/profile-file.ts';
import { addOptions } from '../add-options.ts';
import { credentialsOf } from '../credentials-of.ts';
import { type Columns, printTable } from '../describe/print-table.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';

interface Row {
  readonly name: string;
  readonly endpoint: string | undefined;
  readonly dialect: string | undefined;
  readonly hasToken: boolean;
  readonly file: string;
}

const COLUMNS: Columns<Row> = {
  PROFILE: ({ name }) => name,
  ENDPOINT: ({ endpoint }) => endpoint ?? null,
  DIALECT: ({ dialect }) => dialect ?? null,
  TOKEN: ({ hasToken }) => (hasToken ? 'yes' : 'no'),
  FILE: ({ file }) => file,
};

export function addProfileCommands(program: Command): void {
  addOptions(
    program
      .command('profiles')
      .summary('list the profiles that --profile may name')
      .description(
        'List the profiles of ~/.svcfs/credentials, and of ~/.sevenbridges/credentials, without their tokens.',
      ),
    PROFILES_OPTIONS,
  ).action(profiles);
  addOptions(
    program
      .command('whoami')
      .summary('ask the service whose the token is')
      .description('Ask the service whose the token is that svcfs mount would use.'),
    WHOAMI_OPTIONS,
  ).action(whoami);
}

async function profiles({ json }: ProfilesOptions): Promise<void> {
  const { ours, platform } = credentialFiles(homedir());
  const files = [await ProfileFile.read(ours, 'ours'), await ProfileFile.read(platform, 'platform')];
  const rows = files.flatMap((file) => (file === undefined ? [] : rowsOf(file)));
  if (json) console.log(JSON.stringify(rows, (_, value) => value ?? null, 2));
  else printTable(rows, COLUMNS, 'no profiles; svcfs login makes one');
}

function rowsOf(file: ProfileFile): readonly Row[] {
  return file.names.map((name) => {
    const profile = file.profile(name);
    const { endpoint, dialect, token } = profile ?? {};
    return { name, endpoint, dialect, hasToken: token !== undefined, file: file.path };
  });
}

async function whoami(options: WhoamiOptions, command: Command): Promise<void> {
  refuseShownPassword(command);
  const credentials = await credentialsOf(options, command);
  // Other commands need not load the HTTP library.
  const { describeTokenEnd, whoIs } = await import('../login/who-is.ts');
  const user = await whoIs(credentials, options);
  const { endpoint } = credentials;
  if (options.json) {
    const { username, dialect, tokenEndsMs } = user;
    const tokenEnds = tokenEndsMs === undefined ? null : new Date(tokenEndsMs).toISOString();
    console.log(JSON.stringify({ endpoint, username, dialect, tokenEnds }, null, 2));
    return;
  }
  console.log(`${endpoint}: you are ${user.username} (dialect ${user.dialect})`);
  for (const line of describeTokenEnd(user)) console.log(line);
}
