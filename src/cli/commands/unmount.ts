import type { Command } from 'commander';
import { CliError } from '../exit-codes.ts';
import { describeMountUsers, findMountUsers } from '../mount/mount-users.ts';
import { requireMount } from '../mount/require-mount.ts';
import { unmount, unmountByForce } from '../mount/unmount.ts';
import { sayWaiting } from '../say-waiting.ts';

const DETAILS = `
Waits until everything written has reached the service, then unmounts. When programs use the mount it says which and
leaves it as it is (exit code 11). Ctrl-C while it waits leaves the mount as it is, too.`;

export function addUnmountCommand(program: Command): void {
  program
    .command('unmount')
    .summary('finish what is unfinished, then unmount')
    .description('Unmount after everything written has reached the service.')
    .argument('<mountpoint>', 'the mount point')
    .option(
      '--force',
      'wait for nothing: programs that use the mount get errors, unfinished uploads go on later',
      false,
    )
    .addHelpText('after', DETAILS)
    .action(unmountCommand);
}

async function unmountCommand(path: string, options: { readonly force: boolean }): Promise<void> {
  const mount = await requireMount(path);
  if (options.force) return unmountByForce(mount);
  if ((await unmount(mount, sayWaiting())) === 'busy') {
    const users = await findMountUsers(mount.mountPoint);
    throw new CliError('busy', `${mount.mountPoint}: in use\n${describeMountUsers(users)}`);
  }
}
