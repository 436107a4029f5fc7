/**
 * `npm run man`: writes the man pages in src/cli/man anew, from the commands themselves. With `--check` it writes nothing, and fails
 * when one of them is not what it would write. Requests and escapes: man(7), groff_char(7).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';

for (const name of Object.keys(process.env)) if (name.startsWith('SVC')) delete process.env[name];

const { createProgram } = await import('../src/cli/program.ts');
const { EXIT_CODES } = await import('../src/cli/exit-codes.ts');
const { IGNORED_BY_HELPER } = await import('../src/cli/boot/helper-options.ts');

const FOLDER = new URL('../src/cli/man/', import.meta.url);

const program = createProgram();
const version = program.version();
// A page is as old as its release: the same sources give the same pages.
const [, date] = /^## \d\S* - (\S+)/m.exec(
  await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8'),
);

/** Text as roff takes it: no blank, quote or dash of it means something else. */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replace(/^\./gm, '\\&.');
}

function title(name, section) {
  return `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${section} "${date}" "svcfs ${version}" "svcfs"`;
}

function section(name, ...lines) {
  return [`.SH ${name.toUpperCase()}`, ...lines];
}

/** Paragraphs at the margin are filled. Indented blocks stay as they are. */
function prose(text) {
  const blocks = text
    .replaceAll('\u001b', '')
    .trim()
    .split(/\n\s*\n/);
  return blocks.flatMap((block, index) => {
    const lines = block.split('\n');
    const parts = [];
    for (const line of lines) {
      const isFixed = /^\s/.test(line);
      const last = parts.at(-1);
      if (last?.isFixed === isFixed) last.lines.push(line);
      else parts.push({ isFixed, lines: [line] });
    }
    const request = index === 0 ? [] : ['.PP'];
    return [
      ...request,
      ...parts.flatMap(({ isFixed, lines: own }) => (isFixed ? fixed(own) : own.map(roff))),
    ];
  });
}

function fixed(lines) {
  return ['.RS', '.nf', ...lines.map((line) => roff(line.replace(/^ {2}/, ''))), '.fi', '.RE'];
}

/** The text after the options in the help of a command. */
function detailsOf(command) {
  let text = '';
  command.emit('afterHelp', { error: false, command, write: (part) => (text += part) });
  return text.replace(/\nExit codes:\n(?:\s.*\n)*/, '\n').trim();
}

function optionLines(command) {
  const help = command.createHelp();
  const lines = [];
  let heading;
  for (const option of help.visibleOptions(command)) {
    const group = option.helpGroupHeading?.replace(/:$/, '');
    if (group !== heading && group !== undefined) lines.push(`.SS ${roff(group)}`);
    heading = group;
    lines.push('.TP', `.B ${roff(option.flags)}`, roff(help.optionDescription(option)));
  }
  return lines;
}

function usageOf(command, path) {
  const places = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? ` \\fI${roff(name)}\\fR` : ` [\\fI${roff(name)}\\fR]`;
  });
  const options = command.options.length > 0 ? ' [\\fIoptions\\fR]' : '';
  return `\\fB${roff(path)}\\fR${options}${places.join('')}`;
}

function commandsBelow(command, path) {
  if (command.commands.length === 0 || command.registeredArguments.length > 0) {
    const own = [
      `.SS ${roff(path.toLowerCase())}`,
      usageOf(command, path),
      '.PP',
      roff(command.description()),
    ];
    const options = optionLines(command).filter((line) => !line.startsWith('.SS'));
    const details = detailsOf(command);
    const hasPage = path === 'svcfs mount';
    const more = hasPage
      ? ['.PP', 'Options: see', '.BR svcfs\\-mount (8).']
      : [...options, ...(details ? ['.PP', ...prose(details)] : [])];
    return [
      ...own,
      ...more,
      ...command.commands.flatMap((each) => commandsBelow(each, `${path} ${each.name()}`)),
    ];
  }
  return command.commands.flatMap((each) => commandsBelow(each, `${path} ${each.name()}`));
}

function exitStatus() {
  return Object.values(EXIT_CODES).flatMap(({ code, meaning }) => ['.TP', `.B ${code}`, roff(meaning)]);
}

const FILES = [
  [
    '~/.svcfs/credentials',
    'Profiles: an endpoint and a token for each. Only its owner may be able to read it.',
  ],
  ['~/.config/svcfs/config.toml, /etc/svcfs/config.toml', 'Options, see svcfs.conf(5).'],
  ['~/.local/state/svcfs', 'Logs, sockets, and files that are being written.'],
].flatMap(([name, what]) => ['.TP', `.I ${roff(name)}`, roff(what)]);

function seeAlso(...pages) {
  return section(
    'See also',
    ...pages.map((page, index) => {
      const [, name, number] = /^(\S+)\((\d)\)$/.exec(page);
      return `.BR ${roff(name)} (${number})${index < pages.length - 1 ? ',' : ''}`;
    }),
  );
}

const mount = program.commands.find((each) => each.name() === 'mount');
const config = program.commands.find((each) => each.name() === 'config');

const PAGES = {
  'svcfs.1': [
    title('svcfs', 1),
    ...section('Name', `svcfs \\- ${roff('mount a cloud platform for scientific data')}`),
    ...section('Synopsis', '\\fBsvcfs\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]'),
    ...section(
      'Description',
      'svcfs shows the projects and the external storage volumes of a platform as directories.',
      'Metadata are extended attributes. A move between a project and a volume is a job of the platform.',
      '.PP',
      'svcfs without a command shows the mounts that are there, and the commands that a user wants next.',
    ),
    ...section(
      'Commands',
      ...program.commands.flatMap((each) => commandsBelow(each, `svcfs ${each.name()}`)),
    ),
    ...section('Exit status', ...exitStatus()),
    ...section('Files', ...FILES),
    ...seeAlso('svcfs-mount(8)', 'svcfs.conf(5)', 'mount.svcfs(8)'),
  ],
  'svcfs-mount.8': [
    title('svcfs-mount', 8),
    ...section('Name', `svcfs\\-mount \\- ${roff(mount.summary())}`),
    ...section('Synopsis', usageOf(mount, 'svcfs mount')),
    ...section('Description', roff(mount.description()), '.PP', ...prose(detailsOf(mount))),
    ...section('Options', ...optionLines(mount)),
    ...section('Exit status', ...exitStatus()),
    ...section('Files', ...FILES),
    ...seeAlso('svcfs(1)', 'svcfs.conf(5)', 'mount.svcfs(8)', 'fuse(4)'),
  ],
  'svcfs.conf.5': [
    title('svcfs.conf', 5),
    ...section('Name', 'svcfs.conf \\- options of svcfs in config.toml, and profiles'),
    ...section(
      'Synopsis',
      `.I ${roff('~/.config/svcfs/config.toml')}`,
      '.br',
      '.I /etc/svcfs/config.toml',
      '.br',
      `.I ${roff('~/.svcfs/credentials')}`,
    ),
    ...section('Description', ...prose(detailsOf(config))),
    ...section(
      'Values',
      'A flag is true or false. Sizes are bytes, or a number with K, M, G or T. A list may be a TOML array of texts.',
      'A name that means nothing is an error, and so is a file that other users may change.',
    ),
    ...section(
      'Options of mount',
      ...mount.options
        .filter(({ long }) => !['--config', '--options', '--verbose'].includes(long))
        .flatMap((option) => ['.TP', `.B ${roff(option.long.slice(2))}`, roff(option.description)]),
    ),
    ...section(
      'Credentials',
      'An INI file with a section for each profile. Only its owner may be able to read it.',
      ...fixed([
        '  [lab]',
        '  api_endpoint = https://api.example.org/v2',
        '  auth_token   = 0123456789abcdef',
      ]),
    ),
    ...section(
      'Buckets',
      'Who has keys of the bucket of a volume gives them in the same file, in a section for the volume. The mount then reads, ' +
        'writes, renames and removes its objects in the bucket itself, if the keys may (s3:GetObject, s3:PutObject, s3:DeleteObject, ' +
        's3:AbortMultipartUpload, s3:ListMultipartUploadParts). Bucket and prefix are those of the volume, which must be of type S3.',
      ...fixed([
        '  [volume:lab/data]',
        '  access_key_id     = AKIAIOSFODNN7EXAMPLE',
        '  secret_access_key = 0123456789abcdef',
        '  endpoint          = https://s3.example.org',
        '  region            = eu-west-1',
      ]),
      roff(
        'The endpoint is that of the volume unless it is given, and so is the region. With session_token the keys are those of a ' +
          'session. In place of keys, profile = NAME names a profile of ~/.aws/credentials and ~/.aws/config, or of the files that ' +
          'AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name. path_style = true has the bucket in the path of URLs. ' +
          'With api_endpoint the section counts at that service only. getfattr -n user.svc.via tells of each file which way its bytes take: bucket or link.',
      ),
    ),
    ...seeAlso('svcfs(1)', 'svcfs-mount(8)'),
  ],
  'mount.svcfs.8': [
    title('mount.svcfs', 8),
    ...section('Name', 'mount.svcfs \\- mount a platform by mount(8) and fstab(5)'),
    ...section(
      'Synopsis',
      '\\fBmount \\-t svcfs\\fR [\\fB\\-o\\fR \\fIoptions\\fR] \\fIsource\\fR \\fIdirectory\\fR',
    ),
    ...section(
      'Description',
      ...prose(`mount(8) runs this helper for the type svcfs. The source is a profile of ~/.svcfs/credentials, the URL of an endpoint, or none.

The options are those of svcfs mount, by names without dashes. In a value, \\, stands for a comma; a line of fstab writes a blank as \\040. env.NAME=VALUE sets a variable. The helper drops ${IGNORED_BY_HELPER.join(', ')}, and names that begin with x-.

umount(8) waits until everything written has reached the service, as svcfs unmount does. umount -l and umount -f do not wait: the next mount finishes the uploads.`),
    ),
    ...section(
      'Examples',
      'A line of fstab, by which systemd mounts at the first use:',
      ...fixed(['  lab /mnt/svc svcfs _netdev,nofail,x-systemd.automount,allow-other 0 0']),
      'A line by which each user may mount it:',
      ...fixed(['  lab /mnt/svc svcfs _netdev,noauto,users 0 0']),
    ),
    ...section(
      'Exit status',
      '.TP',
      '.B 0',
      'mounted',
      '.TP',
      '.B 1',
      'wrong option or argument',
      '.TP',
      '.B 32',
      'the mount failed',
    ),
    ...seeAlso('svcfs-mount(8)', 'svcfs.conf(5)', 'fstab(5)', 'mount(8)'),
  ],
};

const isCheck = process.argv.includes('--check');
await mkdir(FOLDER, { recursive: true });
for (const [name, lines] of Object.entries(PAGES)) {
  const page = `${lines.join('\n')}\n`;
  const file = new URL(name, FOLDER);
  if (!isCheck) await writeFile(file, page);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== page) {
    process.stderr.write(`src/cli/man/${name} is stale: run npm run man, and commit what it writes\n`);
    process.exitCode = 1;
  }
}
