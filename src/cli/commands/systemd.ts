import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { messageOf } from '../../lib/message-of.ts';
import { type Unit, unitsFor } from '../boot/systemd-units.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { MAIN } from '../programs.ts';

const DETAILS = `
The unit mounts at boot, or when you log in with --user. It waits for uploads when it ends. With --automount systemd mounts
when a program first asks for the directory; that needs /sbin/mount.svcfs, which the package has.

A user's units end with the last session, unless loginctl enable-linger keeps them.

Examples:
  svcfs systemd print /mnt/svc --profile lab
  svcfs systemd install ~/svc --user`;

interface SystemdOptions {
  readonly profile?: string;
  readonly user: boolean;
  readonly automount: boolean;
}

export function addSystemdCommand(program: Command): void {
  const systemd = program
    .command('systemd')
    .summary('mount at boot, by a unit of systemd')
    .description('Mount at boot, by a unit of systemd.')
    .addHelpText('after', wrapped(DETAILS));
  const add = (
    name: string,
    what: string,
    action: (units: readonly Unit[], options: SystemdOptions) => void | Promise<void>,
  ) =>
    systemd
      .command(name)
      .description(what)
      .argument('<mountpoint>', 'where to mount')
      .option('--profile <name>', 'profile of ~/.svcfs/credentials to mount')
      .option('--user', 'a unit of your own, which needs no root', false)
      .option('--automount', 'mount when a program first asks for the directory', false)
      .action((mountPoint: string, options: SystemdOptions) => action(unitsOf(mountPoint, options), options));
  add('print', 'Print the unit.', print);
  add('install', 'Write the unit where systemd looks for it, and enable it.', install);
}

function unitsOf(mountPoint: string, { profile, user, automount }: SystemdOptions): readonly Unit[] {
  if (user && automount)
    throw new CliError('usage', '--user and --automount exclude each other: only root may make an automount');
  const program = [process.execPath, MAIN];
  return unitsFor({ mountPoint: resolve(mountPoint), profile, ofUser: user, automount, program });
}

function print(units: readonly Unit[]): void {
  console.log(units.map(({ name, text }) => `# ${name}\n${text}`).join('\n'));
}

async function install(units: readonly Unit[], { user }: SystemdOptions): Promise<void> {
  const configuration = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const folder = user ? join(configuration, 'systemd', 'user') : '/etc/systemd/system';
  try {
    await mkdir(folder, { recursive: true });
    for (const { name, text } of units) await writeFile(join(folder, name), text);
  } catch (error) {
    const remedy = user ? '' : ': run it as root, or with --user';
    throw new CliError('failure', `cannot write to ${folder} (${messageOf(error)})${remedy}`, {
      cause: error,
    });
  }
  for (const { name } of units) console.log(`wrote ${join(folder, name)}`);
  const steps = [['daemon-reload'], ['enable', '--now', units[0]?.name ?? '']];
  const commands = steps.map((step) => ['systemctl', ...(user ? ['--user'] : []), ...step]);
  if (!existsSync('/run/systemd/system')) {
    console.log('systemd does not run here. Where it runs:');
    for (const command of commands) console.log(`  ${command.join(' ')}`);
    return;
  }
  for (const [name = '', ...args] of commands) {
    await promisify(execFile)(name, args).catch((cause: unknown) => {
      throw new CliError('failure', `${[name, ...args].join(' ')} failed: ${messageOf(cause)}`, { cause });
    });
  }
}
