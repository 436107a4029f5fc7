import { FsError } from '../../vfs/errors/fs-error.ts';
import { OPCODE } from '../protocol/opcodes.ts';
import { access, getattr, setattr, statfs } from './attributes.ts';
import { fsyncdir, opendir, readdir, readdirplus, releasedir } from './directories.ts';
import { create, flush, fsync, open, read, release, write } from './files.ts';
import { link, lookup, mkdir, mknod, readlink, rename, rename2, rmdir, symlink, unlink } from './names.ts';
import { type Operation, operation } from './operation.ts';
import { copyFileRange, copyFileRange64, fallocate, lseek } from './ranges.ts';
import { getxattr, listxattr, removexattr, setxattr } from './xattrs.ts';

/** There are no ioctls, and ENOTTY is how ioctl(2) says so. */
const ioctl = operation<void>({
  call: () => {
    throw new FsError('ENOTTY', 'no ioctl is known');
  },
});

/**
 * The operation of each opcode. The answer to any other opcode is ENOSYS, which the kernel remembers: it never sends that
 * opcode again. These are POLL (a file is then always ready), BMAP, STATX (GETATTR takes its place), SYNCFS, TMPFILE
 * (programs get EOPNOTSUPP), locks (the kernel keeps its own) and DAX mappings.
 */
const OPERATIONS: readonly (readonly [opcode: number, Operation])[] = [
  [OPCODE.LOOKUP, lookup],
  [OPCODE.GETATTR, getattr],
  [OPCODE.SETATTR, setattr],
  [OPCODE.READLINK, readlink],
  [OPCODE.SYMLINK, symlink],
  [OPCODE.MKNOD, mknod],
  [OPCODE.MKDIR, mkdir],
  [OPCODE.UNLINK, unlink],
  [OPCODE.RMDIR, rmdir],
  [OPCODE.RENAME, rename],
  [OPCODE.LINK, link],
  [OPCODE.OPEN, open],
  [OPCODE.READ, read],
  [OPCODE.WRITE, write],
  [OPCODE.STATFS, statfs],
  [OPCODE.RELEASE, release],
  [OPCODE.FSYNC, fsync],
  [OPCODE.SETXATTR, setxattr],
  [OPCODE.GETXATTR, getxattr],
  [OPCODE.LISTXATTR, listxattr],
  [OPCODE.REMOVEXATTR, removexattr],
  [OPCODE.FLUSH, flush],
  [OPCODE.OPENDIR, opendir],
  [OPCODE.READDIR, readdir],
  [OPCODE.RELEASEDIR, releasedir],
  [OPCODE.FSYNCDIR, fsyncdir],
  [OPCODE.ACCESS, access],
  [OPCODE.CREATE, create],
  [OPCODE.IOCTL, ioctl],
  [OPCODE.FALLOCATE, fallocate],
  [OPCODE.READDIRPLUS, readdirplus],
  [OPCODE.RENAME2, rename2],
  [OPCODE.LSEEK, lseek],
  [OPCODE.COPY_FILE_RANGE, copyFileRange],
  [OPCODE.COPY_FILE_RANGE_64, copyFileRange64],
];

const BY_OPCODE: readonly (Operation | undefined)[] = tableOf(OPERATIONS);

export function operationOf(opcode: number): Operation | undefined {
  return BY_OPCODE[opcode];
}

/** An array without holes, in which an opcode is an index. */
function tableOf(operations: typeof OPERATIONS): readonly (Operation | undefined)[] {
  const opcodes = Math.max(...operations.map(([opcode]) => opcode)) + 1;
  const table = new Array<Operation | undefined>(opcodes).fill(undefined);
  for (const [opcode, each] of operations) table[opcode] = each;
  return table;
}
