import { FsError } from '../errors/fs-error.ts';

export const MADE_HERE =
  'it is made by the file system; svcfs meta and the table are the ways to change metadata';
export const NO_OTHER_KIND = 'there are tables here, and plain files that programs put beside them';

/** Operations that have no meaning in an annex, whatever they are about. */
export class RefusedOperations {
  mkdir(): never {
    throw new FsError('EPERM', NO_OTHER_KIND);
  }

  symlink(): never {
    throw new FsError('EPERM', NO_OTHER_KIND);
  }

  link(): never {
    throw new FsError('EPERM', NO_OTHER_KIND);
  }

  rmdir(): never {
    throw new FsError('EPERM', MADE_HERE);
  }

  fallocate(): never {
    throw new FsError('EOPNOTSUPP', 'no room is set aside here');
  }

  copyFileRange(): never {
    throw new FsError('EXDEV', 'read and write it');
  }

  setxattr(): never {
    throw new FsError('EOPNOTSUPP', 'nothing here has attributes');
  }

  removexattr(): never {
    throw new FsError('EOPNOTSUPP', 'nothing here has attributes');
  }

  listxattr(): readonly string[] {
    return [];
  }
}
