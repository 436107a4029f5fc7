/**
 * `npm run configuration`: writes src/config/CONFIGURATION.md anew, from the commands themselves. With `--check` it writes nothing,
 * and fails when the file is not what it would write.
 */
import { readFile, writeFile } from 'node:fs/promises';

// An option hides its variable where that is set to nothing or to "no".
for (const name of Object.keys(process.env)) if (name.startsWith('SVC')) delete process.env[name];

const { createProgram } = await import('../src/cli/program.ts');
const { EXIT_CODES } = await import('../src/cli/exit-codes.ts');
const { VOLUME_KEYS } = await import('../src/config/bucket-keys.ts');
const { PROFILE_KEYS } = await import('../src/config/profile-keys.ts');

const FILE = new URL('../src/config/CONFIGURATION.md', import.meta.url);

const HEAD = `# Configuration

Every option of every command, with the environment variable that stands in for it. \`npm run configuration\` writes this page from
the definitions in this folder; \`npm run check\` fails when it is stale. \`svcfs help COMMAND\` tells the same, with examples. Commands that are not here take no
option.

An option on the command line goes before its variable, the variable before a configuration file, and the file before the default.
The endpoint and the token of \`svcfs mount\` have two places more. Each is looked for on its own, in this order: the option, the
profile that is named, the variable, the configuration file, the profile \`default\`. When one is missing then, both come from the
places of the platform's public client: \`SB_API_ENDPOINT\` and \`SB_AUTH_TOKEN\`, then the profile \`default\` of
\`~/.sevenbridges/credentials\`.

| value | how it is written |
|---|---|
| size, rate | bytes, or a number with K, M, G or T, in units of 1024: \`512M\`, \`1.5G\`; a rate is such a size a second |
| seconds | a number, with up to three decimals: \`2.5\` |
| a flag's variable | any text turns the flag on; empty, \`0\`, \`false\`, \`no\` and \`off\` leave it off |
| other variables | an empty one counts as unset; an empty \`SVCFS_TEMPORARY_NAMES\` means no pattern |
`;

const FILE_OF_OPTIONS = `## config.toml

\`~/.config/svcfs/config.toml\` and \`/etc/svcfs/config.toml\` hold options by their names without dashes, in a table for each
command: \`[mount]\`, \`[serve]\`, \`[admin.tokens.create]\`. A table of a group, such as \`[admin]\`, is for all its commands. A flag
is \`true\` or \`false\`.

\`\`\`toml
[mount]
metadata-ttl = 30

[profile.lab.mount]               # for --profile lab
read-only = true

[mountpoint."/mnt/svc".mount]     # for svcfs mount /mnt/svc
profile = "lab"
\`\`\`

A mount point goes before a profile, a profile before the table of the command, and the file in the home directory before the other
one. A name that means nothing is an error, and so is a file that other users may change. \`svcfs unmount\` reads no such file.
\`svcfs config show [COMMAND] [MOUNTPOINT]\` prints each value and where it comes from.

\`svcfs mount -o ro,metadata-ttl=30\` takes the same names. There \`\\,\` stands for a comma in a value.
`;

const PROFILE = `## ~/.svcfs/credentials

\`svcfs login\` writes it: a section for each profile, and keys as \`key = value\` or \`key: value\`, in any case. A section \`[DEFAULT]\` is
inherited by all others. A comment is a line of its own that begins with \`#\` or \`;\`. Only its owner may be able to read the file (\`chmod 600\`).
A key that is not in the table is an error.

A profile that is not there is looked for in \`~/.sevenbridges/credentials\`, which has the same form, and is only read.
`;

const OF_PROFILE_KEYS = {
  api_endpoint: 'API endpoint, such as `https://api.example.org/v2`',
  auth_token: 'authentication token',
  dialect: 'words of the service, `svc` or `sbg`; found out where it is not given',
};

const BUCKETS = `### Buckets of volumes

A section \`[volume:OWNER/NAME]\` of the same file has the keys of a volume's bucket: the mount then reads, writes, renames and removes
its objects in the bucket itself. Bucket and prefix are those of the volume, which must be of type S3.
`;

const OF_VOLUME_KEYS = {
  access_key_id: 'access key of the bucket',
  secret_access_key: 'its secret key',
  session_token: 'token of the session that the two belong to, if they do',
  profile:
    'in place of these three: a profile of `~/.aws/credentials` and `~/.aws/config` (`AWS_SHARED_CREDENTIALS_FILE`, `AWS_CONFIG_FILE`), which is read anew every ten minutes',
  endpoint: 'URL of the store; without it that of the volume',
  region: 'region of the bucket; without it as the endpoint or AWS tells, else us-east-1',
  path_style:
    '`true`: the bucket stands in the path of URLs, `false`: in the host; without it in the host at AWS only',
  api_endpoint: 'the section counts for volumes at this API endpoint only',
};

const VARIABLES = `## Variables without an option

| variable | what it does |
|---|---|
| \`SVC_AUTH_TOKEN\` | authentication token of \`svcfs mount\` |
| \`SB_API_ENDPOINT\`, \`SB_AUTH_TOKEN\` | endpoint and token as the platform's public client takes them; both, and after ours |
| \`SVCFS_SECRET_KEY\` | keys that encrypt the secrets of volumes, in place of \`--secret-key-file\` |
| \`SVCFS_WES_TOKEN\` | token of the cluster at \`--wes-url\` |
| \`XDG_CONFIG_HOME\` | the configuration file is in the folder \`svcfs\` of it (default: \`~/.config\`) |
| \`XDG_STATE_HOME\` | state of mounts is in the folder \`svcfs\` of it: logs, sockets, files being written (default: \`~/.local/state\`) |
| \`XDG_DATA_HOME\` | data of the service is in the folder \`svcfs/service\` of it, unless \`--data\` is given (default: \`~/.local/share\`) |
| \`NODE_EXTRA_CA_CERTS\` | file with certificates of authorities that Node.js trusts beside its own |
| \`HTTPS_PROXY\`, \`HTTP_PROXY\` | proxy of \`svcfs mount\` for https and http addresses, unless \`--proxy\` is given; in lower case too, which goes first |
| \`ALL_PROXY\` | the same for a scheme that has no variable of its own |
| \`NO_PROXY\` | hosts that are reached without a proxy, unless \`--no-proxy\` is given |
| \`AWS_*\` | credentials and region of the service for \`--blobs\`, as the AWS CLI takes them |
`;

const PROXIES = `## Proxies

A proxy is \`[http://|https://][USER:PASSWORD@]HOST[:PORT]\`; without a port it is 1080, or 443 of an https one, as for curl. Tunnels
(CONNECT) lead to https addresses, and plain http is asked for by whole addresses. There is no SOCKS. An empty variable counts as
unset, in both spellings. A password may stand in a variable and not in \`--proxy\`, which \`ps\` shows to everybody; the mount
keeps it out of its own environment, its log and its files.

Addresses of this machine itself (\`localhost\`, 127.0.0.0/8, ::1) go through no proxy, whatever the variables say. \`--proxy\`, or
its variable, applies to them too.

Lists of hosts without a proxy go by commas or blanks:

| entry | names |
|---|---|
| \`*\` | every host |
| \`lab.org\`, \`.lab.org\`, \`*.lab.org\` | \`lab.org\`, and all names below it |
| \`lab.org:8080\`, \`[::1]:8080\` | the same, at this port only |
| \`10.1.2.3\`, \`::1\` | this address; names are not looked up |
| \`10.0.0.0/8\`, \`fd00::/8\` | the addresses of this network |
`;

function describeExitCodes() {
  const rows = Object.values(EXIT_CODES).map(
    ({ code: number, meaning }) => `| ${number} | ${text(meaning)} |`,
  );
  return ['## Exit codes', '', '| code | meaning |', '|---:|---|', ...rows, ''].join('\n');
}

function describeProfile() {
  const rows = PROFILE_KEYS.map(
    (key) => `| \`${key}\` | ${OF_PROFILE_KEYS[key] ?? fail(`${key} is not described`)} |`,
  );
  return [PROFILE, '| key | what it is |', '|---|---|', ...rows, ''].join('\n');
}

function describeBuckets() {
  const rows = VOLUME_KEYS.map(
    (key) => `| \`${key}\` | ${OF_VOLUME_KEYS[key] ?? fail(`${key} is not described`)} |`,
  );
  return [BUCKETS, '| key | what it is |', '|---|---|', ...rows, ''].join('\n');
}

/** A section for each command that has options; what all commands of a group have is told once. */
function sections(command, path, told = new Set()) {
  const shared = command.commands.length > 1 ? sharedOptions(command) : [];
  const here = command.commands.length > 0 ? shared : optionsOf(command);
  const news = here.filter(({ flags }) => !told.has(flags));
  const rest = new Set([...told, ...shared.map(({ flags }) => flags)]);
  const section = news.length > 0 ? [describeCommand(command, path, news)] : [];
  return [...section, ...command.commands.flatMap((each) => sections(each, `${path} ${each.name()}`, rest))];
}

function sharedOptions(group) {
  const [first, ...others] = leaves(group).map(optionsOf);
  return first.filter(({ flags }) =>
    others.every((options) => options.some((option) => option.flags === flags)),
  );
}

function leaves(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function optionsOf(command) {
  return command.options.filter(({ long }) => long !== '--version');
}

function describeCommand(command, path, options) {
  const isGroup = command.commands.length > 0;
  const title = isGroup
    ? `Every command of ${path}`
    : `${path}${command.registeredArguments.length > 0 ? ` ${usage(command)}` : ''}`;
  return [
    `## ${title.replaceAll('<', '\\<')}`,
    '',
    '| option | what it does | variable | default |',
    '|---|---|---|---|',
    ...options.map(row),
    '',
  ].join('\n');
}

function usage(argument) {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
  return argument.required ? name : `[${name}]`;
}

function row(option) {
  const choices =
    option.argChoices === undefined ? '' : ` (one of ${option.argChoices.map(code).join(', ')})`;
  const cells = [
    code(option.flags),
    `${text(option.description)}${choices}`,
    option.envVar ? code(option.envVar) : '',
    defaultOf(option),
  ];
  return `| ${cells.join(' | ')} |`;
}

function defaultOf({ defaultValue, defaultValueDescription: inWords, mandatory }) {
  if (mandatory) return 'must be given';
  if (inWords !== undefined)
    return /[a-z] [a-z]/i.test(inWords) || /^[A-Za-z]+$/.test(inWords) ? text(inWords) : code(inWords);
  if (defaultValue === undefined) return '';
  return defaultValue === false ? 'off' : code(String(defaultValue));
}

function code(value) {
  return `\`${value.replaceAll('|', '\\|')}\``;
}

function text(value) {
  return value.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('_', '\\_');
}

function fail(message) {
  throw new Error(message);
}

const page = [
  HEAD,
  ...sections(createProgram(), 'svcfs'),
  FILE_OF_OPTIONS,
  describeProfile(),
  describeBuckets(),
  VARIABLES,
  PROXIES,
  describeExitCodes(),
].join('\n');
if (!process.argv.includes('--check')) {
  await writeFile(FILE, page);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== page) {
  process.stderr.write(
    'src/config/CONFIGURATION.md is stale: run npm run configuration, and commit what it writes\n',
  );
  process.exitCode = 1;
}
