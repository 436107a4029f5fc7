import type { MountOptions } from '../../config/mount-options.ts';
import { passedDescriptor } from '../../fuse/passed-device.ts';
import { CliError } from '../exit-codes.ts';

/** Refuses options that select a part of the platform and leave it out at once. */
export function refuseContradictions({ project, volume, trees, root }: MountOptions): void {
  const besideRoot = project ? '--project' : volume ? '--volume' : trees && '--trees';
  if (root !== undefined && besideRoot !== undefined)
    throw new CliError(
      'usage',
      `--root shows one directory, of which ${besideRoot} selects nothing: leave out one of them`,
    );
  const selecting = { projects: project && '--project', volumes: volume && '--volume' };
  for (const tree of ['projects', 'volumes'] as const) {
    const flag = selecting[tree];
    if (flag === undefined || (trees?.includes(tree) ?? true)) continue;
    throw new CliError(
      'usage',
      `${flag} selects of ${tree}, which --trees leaves out: leave out one of them`,
    );
  }
}

/** What mount(2) decides was decided before svcfs had the descriptor. */
export function refuseForPassed(path: string, { noexec, driver }: MountOptions): void {
  if (passedDescriptor(path) === undefined) return;
  if (noexec)
    throw new CliError('usage', `--noexec does not go with ${path}: give it to the mount(2) that mounts it`);
  if (driver !== 'native')
    throw new CliError(
      'usage',
      `--driver ${driver} does not go with ${path}: only the addon serves a descriptor`,
    );
}
