/**
 * Every failed operation is kept for `user.svc.error` and logged, once, here: no operation has to think of it.
 */
import type { Errno } from '../../lib/errno.ts';
import type { AttributeChanges, FileSystem } from '../file-system.ts';
import { openModeOf } from '../open-flags.ts';
import { errnoOf } from './errno-of.ts';
import type { ErrorRegistry, Failure } from './error-registry.ts';
import type { FailedOperation } from './failure-of.ts';
import { PinnedChange } from './fs-error.ts';
import { type Paths, pathsOf, SUBJECTS, subjectOf } from './subjects.ts';
import { endedBy } from './what-success-ends.ts';

/**
 * Answers that are part of how a program asks: nothing went wrong. ESTALE has the kernel look the name up again;
 * ENXIO ends a search for data or holes.
 */
const ORDINARY: Readonly<Partial<Record<keyof FileSystem, readonly Errno[]>>> = {
  lookup: ['ESTALE'],
  mkdir: ['ESTALE'],
  mknod: ['ESTALE'],
  create: ['ESTALE'],
  unlink: ['ESTALE'],
  rmdir: ['ESTALE'],
  opendir: ['ESTALE'],
  // The path that the directory had was reported when it went (`GoneDirectories`).
  readdir: ['ESTALE'],
  getxattr: ['ENODATA'],
  removexattr: ['ESTALE'],
  setxattr: ['ESTALE'],
  open: ['ESTALE'],
  setattr: ['ESTALE'],
  lseek: ['ENXIO'],
  copyFileRange: ['EXDEV'],
};

function isOrdinary(op: keyof FileSystem, error: unknown, args: readonly unknown[]): boolean {
  const errno = errnoOf(error);
  if (error instanceof PinnedChange) return false;
  // Programs that list attributes try all namespaces, and those that copy a mode try ACLs.
  if (op === 'getxattr' && errno === 'EOPNOTSUPP') return !String(args[1]).startsWith('user.');
  if (op === 'setxattr' && errno === 'EOPNOTSUPP') return String(args[1]).startsWith('system.');
  return ORDINARY[op]?.includes(errno) ?? false;
}

export interface FailureReports {
  readonly paths: Paths;
  readonly report: (failed: FailedOperation, error: unknown) => void;
  /** Told of each lookup that was answered: what failed before at its path is over. */
  readonly lookedUp: (path: () => string) => void;
  readonly errors: Pick<ErrorRegistry, 'mark' | 'isEmpty' | 'ended'>;
}

type Method = (...args: readonly unknown[]) => unknown;

/** The same file system, whose failures are reported before they are thrown on. */
export function reportFailures(fileSystem: FileSystem, reports: FailureReports): FileSystem {
  const reporting = Object.entries(SUBJECTS).map(([name, subject]) => {
    const op = name as keyof FileSystem;
    const method = fileSystem[op].bind(fileSystem) as Method;
    return [op, subject === 'none' ? method : reportingMethod(op, method, reports)];
  });
  return Object.fromEntries(reporting) as FileSystem;
}

function reportingMethod(op: keyof FileSystem, method: Method, reports: FailureReports): Method {
  const failed = (error: unknown, args: readonly unknown[]): never => {
    if (!isOrdinary(op, error, args)) {
      const [path = '?', target] = pathsOf(op, args, reports.paths);
      const other = target === undefined ? {} : { target };
      reports.report({ op, path, ...other, ...aspectsOf(op, args) }, error);
    }
    throw error;
  };
  const { errors, paths } = reports;
  const ops = endedBy(op);
  const done = <T>(answer: T, args: readonly unknown[], mark: number): T => {
    if (op === 'lookup') reports.lookedUp(() => subjectOf(op, args, paths));
    if (mark === 0 || errors.isEmpty || ops.length === 0) return answer;
    const aspects = aspectsOf(op, args);
    for (const path of pathsOf(op, args, paths)) errors.ended(path, { ops, ...aspects, mark });
    return answer;
  };
  return (...args) => {
    const { mark } = errors;
    try {
      const answer = method(...args);
      if (!(answer instanceof Promise)) return done(answer, args, mark);
      return answer.then(
        (given) => done(given, args, mark),
        (error: unknown) => failed(error, args),
      );
    } catch (error) {
      return failed(error, args);
    }
  };
}

/**
 * The arguments beside the path that tell two operations of one kind apart: a success to read a file says nothing of
 * writing it.
 */
function aspectsOf(op: keyof FileSystem, args: readonly unknown[]): Pick<Failure, 'attribute' | 'access'> {
  if (op === 'getxattr' || op === 'setxattr' || op === 'removexattr') return { attribute: String(args[1]) };
  if (op === 'setattr') return { attribute: attributeSetBy(args[1] as AttributeChanges) };
  if (op !== 'open') return {};
  const { write, truncate } = openModeOf(Number(args[1]));
  return { access: write || truncate ? 'write' : 'read' };
}

/** As chmod, truncate, touch and chown set them: the kernel asks for each alone. */
function attributeSetBy({ mode, sizeBytes, mtimeNs, atimeNs }: AttributeChanges): string {
  if (sizeBytes !== undefined) return 'size';
  if (mode !== undefined) return 'mode';
  return mtimeNs !== undefined || atimeNs !== undefined ? 'time' : 'owner';
}
