import { homedir } from 'node:os';
import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { credentialFiles } from '../../config/credentials.ts';
import { withKeys, withoutKeys } from '../../config/ini-text.ts';
import {
  LOGIN_OPTIONS,
  LOGOUT_OPTIONS,
  type LoginOptions,
  type LogoutOptions,
} from '../../config/login-options.ts';
import { isKnownPlatform, PLATFORMS } from '../../config/platforms.ts';
import { type Profile, ProfileFile } from '../../config/profile-file.ts';
import { editCredentials } from '../../config/save-profile.ts';
import { checkedToken, readTokenFile } from '../../config/token-file.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { askSecret } from '../login/ask-secret.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';

const DETAILS = `
The token is asked for at the terminal, which does not show it, and is tried before it is kept. It is kept in
~/.svcfs/credentials, which only you may read. Other profiles and comments there stay as they are.

A mount whose token is refused takes up the new one of its profile, if it is the same user's.

Platforms by name:
${Object.entries(PLATFORMS)
  .map(([name, endpoint]) => `  ${name.padEnd(9)} ${endpoint}\n`)
  .join('')}
Examples:
  svcfs login --platform cgc --profile cgc
  svcfs login --endpoint http://127.0.0.1:8080/v2 --token-file - < token`;

export function addLoginCommands(program: Command): void {
  addOptions(
    program
      .command('login')
      .summary('keep a token for a platform, once it was tried')
      .description('Try a token, and keep it in a profile.'),
    LOGIN_OPTIONS,
  )
    .addHelpText('after', wrapped(DETAILS))
    .action(login);
  addOptions(
    program
      .command('logout')
      .summary('forget the token of a profile')
      .description(
        'Forget the token of a profile. Mounts that run keep theirs; the service is told nothing.',
      ),
    LOGOUT_OPTIONS,
  ).action(logout);
}

async function login(options: LoginOptions, command: Command): Promise<void> {
  refuseShownPassword(command);
  const { profile } = options;
  if (!/^[^\]\r\n]+$/.test(profile) || profile.trim() !== profile || profile === 'DEFAULT')
    throw new CliError('usage', `'${profile}' is no name for a profile`);
  const file = credentialFiles(homedir()).ours;
  const before = await profileBefore(profile);
  const endpoint = chosenEndpoint(options, before);
  const token = await givenToken(options.tokenFile, endpoint);
  const known = before?.endpoint === endpoint ? before.dialect : undefined;
  const guess = isKnownPlatform(endpoint) ? 'sbg' : 'svc';
  const dialect =
    options.dialect === undefined
      ? { dialect: known ?? guess, settled: false }
      : { dialect: options.dialect, settled: true };
  // Other commands need not load the HTTP library.
  const { describeTokenEnd, whoIs } = await import('../login/who-is.ts');
  const user = await whoIs({ endpoint, token, dialect }, options);
  const kept = { api_endpoint: endpoint, auth_token: token, dialect: user.dialect };
  await editCredentials(file, (text) => withKeys(text, profile, kept));
  console.log(`${endpoint}: you are ${user.username} (dialect ${user.dialect})`);
  for (const line of describeTokenEnd(user)) console.log(line);
  console.log(`profile ${profile} in ${file}`);
  if (profile === LOGIN_OPTIONS.profile.default) warnOfEnvironment();
}

/** That of the platform's own client may name the endpoint. */
async function profileBefore(name: string): Promise<Profile | undefined> {
  const { ours, platform } = credentialFiles(homedir());
  const own = (await ProfileFile.read(ours, 'ours'))?.profile(name);
  if (own !== undefined) return own;
  return (await ProfileFile.read(platform, 'platform').catch(() => undefined))?.profile(name);
}

function chosenEndpoint({ endpoint, platform, profile }: LoginOptions, before: Profile | undefined): string {
  if (endpoint !== undefined && platform !== undefined)
    throw new CliError('usage', '--endpoint and --platform exclude each other: give one of them');
  const named = platform ?? (Object.hasOwn(PLATFORMS, profile) ? profile : '');
  const ofPlatform = PLATFORMS[named];
  const chosen = endpoint ?? (platform === undefined ? before?.endpoint : undefined) ?? ofPlatform;
  if (chosen !== undefined) return LOGIN_OPTIONS.endpoint.parse?.(chosen) ?? chosen;
  const platforms = Object.keys(PLATFORMS).join(', ');
  throw new CliError(
    'usage',
    `profile ${profile} has no endpoint yet: give --endpoint, or --platform with one of ${platforms}`,
  );
}

async function givenToken(file: string | undefined, endpoint: string): Promise<string> {
  if (file === '-') return checkedToken((await textOf(process.stdin)).trim());
  if (file !== undefined) return checkedToken(await readTokenFile(file));
  return checkedToken(await askSecret(`Token for ${endpoint}: `));
}

function warnOfEnvironment(): void {
  const set = ['SVC_API_ENDPOINT', 'SVC_AUTH_TOKEN'].filter((name) => process.env[name]);
  if (set.length === 0) return;
  console.error(
    `svcfs: ${set.join(' and ')} ${set.length === 1 ? 'is' : 'are'} set and goes before this profile`,
  );
}

async function logout({ profile }: LogoutOptions): Promise<void> {
  const { ours, platform } = credentialFiles(homedir());
  const file = await ProfileFile.read(ours, 'ours');
  if (!file?.names.includes(profile)) {
    const theirs = await ProfileFile.read(platform, 'platform').catch(() => undefined);
    const hint = theirs?.names.includes(profile)
      ? `; that of ${platform} is for other programs too, and stays`
      : '';
    throw new CliError(
      'credentials',
      `no profile ${profile} in ${ours} (profiles there: ${file?.names.join(', ') || 'none'})${hint}`,
    );
  }
  await editCredentials(ours, (text) => withoutKeys(text, profile, ['auth_token']));
  console.log(`forgot the token of profile ${profile} in ${ours}`);
}
