import type { MountOptions } from '../../config/mount-options.ts';
import { passedDescriptor } from '../../fuse/passed-device.ts';
import { CliError } from '../exit-codes.ts';

/** Refuses options that select a part of the platform and leave it out at once. */
export function refuseContradictions(options: MountOptions): void {
  const { project, volume, trees, root, manifest, writeBack, stagingProject } = options;
  const selecting = [project && '--project', volume && '--volume', trees && '--trees'];
  const beside = (flag: string, others: readonly (string | false | undefined)[], why: string): void => {
    const other = others.find((each) => each);
    if (other)
      throw new CliError(
        'usage',
        `${flag} and ${other} exclude each other, for ${why}: leave out one of them`,
      );
  };
  if (root !== undefined) beside('--root', selecting, 'one directory is shown');
  if (manifest !== undefined) {
    beside('--manifest', [...selecting, root && '--root'], 'the manifest names all that is shown');
    beside(
      '--manifest',
      [writeBack && '--write-back', stagingProject && '--staging-project'],
      'nothing is written',
    );
  }
  if (project && trees?.includes('projects') === false)
    beside('--project', ['--trees'], 'these trees have no projects');
  if (volume && trees?.includes('volumes') === false)
    beside('--volume', ['--trees'], 'these trees have no volumes');
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
