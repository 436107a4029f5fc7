import { FsError } from '../errors/fs-error.ts';
import { canBeGiven, canBeGivenToFolder, nameOnPlatform } from './escape.ts';
import type { DirectoryNode } from './node.ts';

/** NAME_MAX of Linux, and the platform's own limit. */
const MAX_NAME_BYTES = 255;

/** Whether there can be anything of that name: ENAMETOOLONG. */
export function requireNameLength(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES)
    throw new FsError('ENAMETOOLONG', `a name has at most ${MAX_NAME_BYTES} bytes, this one ${bytes}`);
}

/** Whether a job of the platform makes an object at that location, and not at another. */
function requireLocation(prefix: string, name: string): void {
  const segments = `${prefix}${nameOnPlatform(name)}`.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw new FsError(
      'EPERM',
      `the platform makes no key with an empty, "." or ".." segment, as ${JSON.stringify(segments.join('/'))} has`,
    );
}

/** Whether a directory takes a file or folder of that (shown) name: ENAMETOOLONG, EPERM. */
export function requireName(parent: DirectoryNode, name: string, what: 'file' | 'folder'): void {
  requireNameLength(name);
  if (!canBeGiven(name))
    throw new FsError(
      // mv(1) takes EINVAL for a directory that goes below itself.
      'EPERM',
      `a name that begins with svc~ stands for another: write svc~${name} for this one`,
    );
  if (parent.kind === 'volume-directory') requireLocation(parent.prefix, name);
  if (what === 'folder' && parent.kind === 'project-folder' && !canBeGivenToFolder(name))
    throw new FsError(
      'EPERM',
      'a folder whose name begins with __ has svc~ before it on the platform: such a name has at most 251 characters, and ' +
        'is not given as svc~svc~__',
    );
}
