/**
 * The option `--no-delete` keeps what is on the platform from removal, `--no-overwrite` from replacement, and `--confirm-delete`
 * has a person confirm many removals. The platform's deletions are final. A file that is only on this machine is not protected.
 */
import { FsError } from '../errors/fs-error.ts';
import { type Node, pathOf } from './node.ts';
import type { Tree } from './tree.ts';

/** @throws FsError EPERM when the mount removes nothing, or a person is to confirm it */
export function requireDeletes({ options, deletions }: Tree, node: Node): void {
  if (!isOnPlatform(node)) return;
  if (!options.deletes)
    throw new FsError('EPERM', `${node.name} stays: this mount removes nothing (--no-delete)`);
  deletions.require(node.name, pathOf(node));
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
