import { canBeGiven } from '../escape.ts';
import { FsError } from '../fs-error.ts';
import type { DirectoryNode } from '../node.ts';

/** NAME_MAX of Linux, and the platform's own limit. */
const MAX_NAME_BYTES = 255;
/** The platform keeps such folder names for itself (service-api, "Limits"). */
const RESERVED_FOLDER_PREFIX = '__';

/** Whether there can be anything of that name: ENAMETOOLONG. */
export function requireNameLength(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES)
    throw new FsError('ENAMETOOLONG', `a name has at most ${MAX_NAME_BYTES} bytes, this one ${bytes}`);
}

/** Whether a directory takes a file or folder of that (shown) name: ENAMETOOLONG, EINVAL. */
export function requireName(parent: DirectoryNode, name: string, what: 'file' | 'folder'): void {
  requireNameLength(name);
  if (!canBeGiven(name))
    throw new FsError(
      'EINVAL',
      `a name that begins with svc~ stands for another: write svc~${name} for this one`,
    );
  if (what === 'folder' && parent.kind === 'project-folder' && name.startsWith(RESERVED_FOLDER_PREFIX))
    throw new FsError(
      'EINVAL',
      `the platform takes no folder name that begins with ${RESERVED_FOLDER_PREFIX}`,
    );
}
