import { forRequester } from '../lib/requester.ts';
import { type Paths, subjectOf } from './errors/subjects.ts';
import type { FileSystem, RequestContext } from './file-system.ts';

/** The operations that may ask the platform for a program. */
const ASKING = [
  'lookup',
  'getattr',
  'setattr',
  'readlink',
  'mkdir',
  'mknod',
  'symlink',
  'link',
  'unlink',
  'rmdir',
  'rename',
  'open',
  'create',
  'read',
  'write',
  'flush',
  'fsync',
  'fallocate',
  'copyFileRange',
  'opendir',
  'readdir',
  'getxattr',
  'setxattr',
  'removexattr',
] as const satisfies readonly (keyof FileSystem)[];

type Method = (...args: readonly unknown[]) => unknown;

/** The same file system, whose requests to the platform are known by the programs that they are made for. */
export function nameRequesters(fileSystem: FileSystem, paths: Paths): FileSystem {
  const naming = ASKING.map((operation) => {
    const method = fileSystem[operation].bind(fileSystem) as Method;
    const named: Method = (...args) => {
      const context = args.at(-1) as RequestContext;
      const path = (): string => subjectOf(operation, args, paths);
      const hasLeft = (): boolean => context.signal.aborted;
      const requester = { thread: context.pid, operation, path, hasLeft };
      return forRequester(requester, () => method(...args));
    };
    return [operation, named];
  });
  return { ...fileSystem, ...Object.fromEntries(naming) } as FileSystem;
}
