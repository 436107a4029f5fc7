import { forRequester } from '../lib/requester.ts';
import { type Paths, subjectOf } from './errors/subjects.ts';
import type { FileSystem, RequestContext } from './file-system.ts';
import { noting, type OperationWatch, watched } from './watch-operations.ts';

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

/**
 * The same file system, whose requests to the platform are known by the programs that they are made for. While somebody
 * watches, each operation is told to the watcher, too.
 */
export function nameRequesters(fileSystem: FileSystem, paths: Paths, watch: OperationWatch): FileSystem {
  const naming = ASKING.map((operation) => {
    const method = fileSystem[operation].bind(fileSystem) as Method;
    const named: Method = (...args) => {
      const context = args.at(-1) as RequestContext;
      const path = (): string => subjectOf(operation, args, paths);
      const hasLeft = (): boolean => context.signal.aborted;
      const requester = { thread: context.pid, operation, path, hasLeft, context };
      const { watcher } = watch;
      if (watcher === undefined) return forRequester(requester, () => method(...args));
      const begun = watched(operation, args, paths);
      watcher(begun, context);
      return noting(
        begun,
        forRequester({ ...requester, cost: begun.cost }, () => method(...args)),
      );
    };
    return [operation, named];
  });
  return { ...fileSystem, ...Object.fromEntries(naming) } as FileSystem;
}
