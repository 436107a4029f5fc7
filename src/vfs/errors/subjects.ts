/** What each operation of the file system is about. */
import type { FileHandle, FileSystem, NodeId } from '../file-system.ts';

/** How the arguments of an operation name its subject. */
type Subject = 'node' | 'name' | 'new-name' | 'names' | 'handle' | 'span' | 'directory-handle' | 'none';

/** An exhaustive table, so that a new operation cannot be forgotten. */
export const SUBJECTS: Readonly<Record<keyof FileSystem, Subject>> = {
  attach: 'none',
  detach: 'none',
  forget: 'none',
  knownDirectory: 'none',
  lookup: 'name',
  getattr: 'node',
  setattr: 'node',
  access: 'node',
  readlink: 'node',
  statfs: 'node',
  mkdir: 'name',
  mknod: 'name',
  symlink: 'name',
  link: 'new-name',
  unlink: 'name',
  rmdir: 'name',
  rename: 'names',
  open: 'node',
  create: 'name',
  read: 'handle',
  write: 'handle',
  flush: 'handle',
  fsync: 'handle',
  release: 'handle',
  lseek: 'handle',
  fallocate: 'handle',
  copyFileRange: 'span',
  opendir: 'node',
  readdir: 'directory-handle',
  releasedir: 'directory-handle',
  fsyncdir: 'directory-handle',
  getxattr: 'node',
  setxattr: 'node',
  listxattr: 'node',
  removexattr: 'node',
};

/** Paths of what operations name. */
export interface Paths {
  ofNode(node: NodeId): string;
  ofHandle(handle: FileHandle): string;
  ofDirectoryHandle(handle: FileHandle): string;
}

/** All the names that an operation is about. */
export function pathsOf(op: keyof FileSystem, args: readonly unknown[], paths: Paths): readonly string[] {
  const path = subjectOf(op, args, paths);
  return op === 'rename' ? [path, pathOf('names', args.slice(1), paths)] : [path];
}

/** The name that it is about first. */
export function subjectOf(op: keyof FileSystem, args: readonly unknown[], paths: Paths): string {
  return pathOf(SUBJECTS[op], args, paths);
}

/** A node or handle that is not known is itself what went wrong: then there is no path. */
function pathOf(subject: Subject, args: readonly unknown[], paths: Paths): string {
  const [first, second] = args;
  try {
    switch (subject) {
      case 'node':
        return paths.ofNode(first as NodeId);
      case 'name':
        return below(paths.ofNode(first as NodeId), String(second));
      case 'new-name':
        return below(paths.ofNode(second as NodeId), String(args[2]));
      case 'names': {
        const { parent, name } = first as { parent: NodeId; name: string };
        return below(paths.ofNode(parent), name);
      }
      case 'handle':
        return paths.ofHandle(first as FileHandle);
      case 'span':
        return paths.ofHandle((second as { handle: FileHandle }).handle);
      case 'directory-handle':
        return paths.ofDirectoryHandle(first as FileHandle);
      case 'none':
        return '';
      default:
        return subject satisfies never;
    }
  } catch {
    return '?';
  }
}

function below(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}
