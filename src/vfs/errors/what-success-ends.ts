/** Which failures at a path are over when an operation succeeds there. */
import type { FileSystem } from '../file-system.ts';

/** By what has succeeded, the operations whose failure at the path is over; `all` when something else has the name now. */
const ENDS: Readonly<Partial<Record<keyof FileSystem, readonly string[] | 'all'>>> = {
  lookup: ['lookup'],
  getattr: ['getattr'],
  setattr: ['setattr'],
  access: ['access'],
  readlink: ['readlink'],
  mkdir: ['mkdir'],
  mknod: ['mknod', 'create', 'open'],
  symlink: ['symlink'],
  link: ['link'],
  open: ['open', 'create'],
  create: ['create', 'mknod', 'open'],
  read: ['read'],
  write: ['write'],
  fsync: ['fsync'],
  lseek: ['lseek'],
  fallocate: ['fallocate'],
  copyFileRange: ['copyFileRange'],
  opendir: ['opendir'],
  readdir: ['readdir', 'opendir'],
  getxattr: ['getxattr'],
  setxattr: ['setxattr', 'removexattr'],
  listxattr: ['listxattr'],
  removexattr: ['removexattr', 'setxattr'],
  unlink: 'all',
  rmdir: 'all',
  rename: 'all',
};

/**
 * FLUSH and RELEASE are not among them: a program that only reads makes both. Their failures are over when the file is
 * published.
 */
export const ENDED_BY_PUBLICATION = ['flush', 'release', 'close', 'recover'] as const;

export function endedBy(op: keyof FileSystem): readonly string[] | 'all' {
  return ENDS[op] ?? [];
}
