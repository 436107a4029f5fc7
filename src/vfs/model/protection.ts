/**
 * The option `--no-delete` keeps what is on the platform from removal, `--no-overwrite` from replacement. The platform's
 * deletions are final. A file that is only on this machine is not protected.
 */
import { FsError } from '../errors/fs-error.ts';
import type { Node } from './node.ts';
import type { Tree } from './tree.ts';

/** @throws FsError EPERM when the mount removes nothing */
export function requireDeletes({ options }: Tree, node: Node): void {
  if (options.deletes || !isOnPlatform(node)) return;
  throw new FsError('EPERM', `${node.name} stays: this mount removes nothing (--no-delete)`);
}

/** @throws FsError EPERM when the mount replaces no content */
export function requireOverwrites({ options }: Tree, node: Node): void {
  if (options.overwrites || !isOnPlatform(node)) return;
  throw new FsError(
    'EPERM',
    `${node.name} is on the platform, and this mount replaces no file (--no-overwrite): give the new one another name`,
  );
}

function isOnPlatform(node: Node): boolean {
  return 'record' in node && node.record !== undefined;
}
