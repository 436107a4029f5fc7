/**
 * The file system with synthetic trees: an operation that is about an entry of one goes to it, by the numbers that it names,
 * and every other goes on to the tree. A directory of the tree may hold synthetic entries (`VirtualSource.synthetic`):
 * the tree has its place and its attributes, and the names in it are of the synthetic tree.
 */
import { FsError } from '../errors/fs-error.ts';
import { type Paths, SUBJECTS } from '../errors/subjects.ts';
import type { FileHandle, FileSystem, NodeId } from '../file-system.ts';
import { pathOf } from '../model/node.ts';
import type { NodeTable } from '../model/node-table.ts';
import { isSyntheticNumber, isTreeNumber } from '../model/number-ranges.ts';
import type { SyntheticOperations, SyntheticTrees } from './synthetic-trees.ts';

type Method = (...args: readonly unknown[]) => unknown;
type Place = { readonly parent: NodeId; readonly name: string };

export function attachSynthetic(
  fileSystem: FileSystem,
  trees: SyntheticTrees,
  nodes: Pick<NodeTable, 'get'>,
): FileSystem {
  /** Whether the names in a directory are synthetic. */
  const holds = (id: NodeId): boolean => {
    if (!isTreeNumber(id)) return isSyntheticNumber(id);
    const node = nodes.get(id);
    const entry = node.kind === 'virtual-directory' ? node.source.synthetic : undefined;
    if (entry) trees.graft(id, entry, { ino: node.ino, path: pathOf(node) });
    return entry !== undefined;
  };
  const methods = Object.keys(SUBJECTS).map((name) => {
    const op = name as keyof FileSystem;
    const ofTree = fileSystem[op].bind(fileSystem) as Method;
    if (!isOfSynthetic(op)) return [op, ofTree];
    const ofSynthetic = trees[op].bind(trees) as Method;
    const method: Method = (...args) => (isOurs(op, args, holds) ? ofSynthetic(...args) : ofTree(...args));
    return [op, method];
  });
  return {
    ...(Object.fromEntries(methods) as FileSystem),
    // No directory here is moved.
    knownDirectory: (parent, name) => (holds(parent) ? undefined : fileSystem.knownDirectory(parent, name)),
  };
}

function isOfSynthetic(op: keyof FileSystem): op is keyof SyntheticOperations {
  return op !== 'attach' && op !== 'detach' && op !== 'statfs' && op !== 'knownDirectory';
}

function isOurs(op: keyof FileSystem, args: readonly unknown[], holds: (id: NodeId) => boolean): boolean {
  const [first, second] = args;
  switch (SUBJECTS[op]) {
    case 'name':
      return holds(first as NodeId);
    case 'new-name':
      return isSyntheticNumber(first as NodeId) || holds(second as NodeId);
    case 'names': {
      const isFrom = holds((first as Place).parent);
      if (!isFrom && holds((second as Place).parent))
        throw new FsError(
          'EPERM',
          `${(second as Place).name}: nothing is put here, which shows what is so elsewhere`,
        );
      return isFrom;
    }
    case 'span':
      return isSyntheticNumber((first as Open).handle) || isSyntheticNumber((second as Open).handle);
    default:
      return op === 'opendir' ? holds(first as NodeId) : isSyntheticNumber(first as NodeId);
  }
}

type Open = { readonly handle: FileHandle };

/** Paths of both. */
export function pathsWithSynthetic(paths: Paths, trees: SyntheticTrees): Paths {
  return {
    ofNode: (id) => (isSyntheticNumber(id) ? trees.pathOf(id) : paths.ofNode(id)),
    ofHandle: (handle) => (isSyntheticNumber(handle) ? trees.pathOfHandle(handle) : paths.ofHandle(handle)),
    ofDirectoryHandle: (handle) =>
      isSyntheticNumber(handle) ? trees.pathOfDirectoryHandle(handle) : paths.ofDirectoryHandle(handle),
  };
}
