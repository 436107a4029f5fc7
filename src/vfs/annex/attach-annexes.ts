/**
 * The file system with annexes: an operation that is about one goes to it, by the numbers that it names, and every other
 * goes on to the tree.
 */

import { FsError } from '../errors/fs-error.ts';
import { type Paths, SUBJECTS } from '../errors/subjects.ts';
import type { AbsentEntry, Entry, FileHandle, FileSystem, NodeId, RequestContext } from '../file-system.ts';
import type { PlatformTree } from '../listing/platform-tree.ts';
import { ANNEX } from '../model/escape.ts';
import { type ProjectFolderNode, pathOf } from '../model/node.ts';
import { isAnnexNumber, isTreeNumber } from '../model/number-ranges.ts';
import type { Tree } from '../model/tree.ts';
import { fixedEntries } from '../synthetic/entries.ts';
import type { SyntheticTrees } from '../synthetic/synthetic-trees.ts';
import { folderRecords, volumeRecords } from '../trees/folders/folder-records.ts';
import type { Annexes, AnnexOperations } from './annexes.ts';
import { type Method, TreeChanges } from './tree-changes.ts';

type AnnexedTree = Pick<Tree, 'nodes' | 'root' | 'api' | 'childOf' | 'childrenOf'> &
  Pick<PlatformTree, 'top'>;
type Place = { readonly parent: NodeId; readonly name: string };

export function attachAnnexes(
  fileSystem: FileSystem,
  annexes: Annexes,
  { tree, synthetic }: { readonly tree: AnnexedTree; readonly synthetic: SyntheticTrees },
): FileSystem {
  const folderAt = (id: NodeId): ProjectFolderNode | undefined => {
    if (!isTreeNumber(id)) return undefined;
    const node = tree.nodes.get(id);
    return node.kind === 'project-folder' ? node : undefined;
  };
  /** Whether a name is of a record: synthetic entries are grafted on the annex. */
  const holdsRecord = (parent: NodeId, name: string): boolean => {
    const folder = annexes.recordedAt(parent, name);
    if (folder === undefined) return false;
    const at = { ino: annexes.inodeOf(parent), path: annexes.pathOf(parent) };
    synthetic.graft(parent, folderRecords(folder, tree), at);
    return true;
  };
  const volumeAt = (id: NodeId, name: string): boolean => {
    const node = name === ANNEX && isTreeNumber(id) ? tree.nodes.get(id) : undefined;
    if (node?.kind !== 'volume-directory' || node.prefix !== '' || node === tree.top) return false;
    const at = { ino: node.ino, path: pathOf(node) };
    synthetic.graft(id, fixedEntries({ [ANNEX]: volumeRecords(node, tree) }), at);
    return true;
  };
  const lookupControl = async (name: string, context: RequestContext): Promise<Entry | AbsentEntry> => {
    const control = await tree.childOf(tree.root, ANNEX, context.signal);
    return control ? fileSystem.lookup(control.id, name, context) : { node: undefined, entryTtlMs: 0 };
  };
  const changes = new TreeChanges(() => annexes.changed());
  const methods = Object.keys(SUBJECTS).map((name) => {
    const op = name as keyof FileSystem;
    const ofTree = changes.telling(op, fileSystem[op].bind(fileSystem) as Method);
    if (!isOfAnnexes(op)) return [op, ofTree];
    const ofAnnex = annexes[op].bind(annexes) as Method;
    const method: Method = (...args) => {
      if (placesOf(op, args).some(({ parent, name: named }) => holdsRecord(parent, named)))
        return ofSynthetic(op, synthetic)(...args);
      const ours = isOurs(op, args);
      if (ours === 'both') refuseBoth(op, args);
      if (ours) return ofAnnex(...args);
      const folder = folderOf(op, args, folderAt);
      if (folder === undefined) return ofTree(...args);
      if (op === 'lookup') return annexes.enter(folder, (args[2] as RequestContext).signal);
      throw new FsError(op === 'unlink' || op === 'rmdir' || op === 'rename' ? 'EPERM' : 'EEXIST', RESERVED);
    };
    return [op, method];
  });
  const { lookup, ...others } = Object.fromEntries(methods) as FileSystem;
  return {
    ...others,
    lookup: (parent, name, context) => {
      if (volumeAt(parent, name)) return synthetic.lookup(parent, name, context);
      if (!annexes.isOfControl(parent, name)) return lookup(parent, name, context);
      return lookupControl(name, context);
    },
    forget: (id, count) => {
      others.forget(id, count);
      if (isAnnexNumber(id) && !annexes.knows(id)) synthetic.ungraft(id);
    },
    // No directory of an annex is moved.
    knownDirectory: (parent, name) =>
      isAnnexNumber(parent) ? undefined : fileSystem.knownDirectory(parent, name),
  };
}

function ofSynthetic(op: keyof FileSystem, synthetic: SyntheticTrees): Method {
  return isOfAnnexes(op) ? (synthetic[op].bind(synthetic) as Method) : () => undefined;
}

/** What is moved into an annex would leave the platform: mv(1) then copies it here and removes it there. */
function refuseBoth(op: keyof FileSystem, args: readonly unknown[]): never {
  if (op === 'rename' && !isAnnexNumber((args[0] as Place).parent))
    throw new FsError('EPERM', `what is in ${ANNEX} is on this machine only: copy it there`);
  throw new FsError('EXDEV', 'tables of metadata are apart from the files of the platform');
}

const RESERVED = `${ANNEX} is the mount's own name, in every folder`;

function isOfAnnexes(op: keyof FileSystem): op is keyof AnnexOperations {
  return op !== 'attach' && op !== 'detach' && op !== 'statfs' && op !== 'knownDirectory';
}

/** `both`: it is about an annex and the tree. */
function isOurs(op: keyof FileSystem, args: readonly unknown[]): boolean | 'both' {
  const [first, second] = args;
  switch (SUBJECTS[op]) {
    case 'names':
      return ofTwo((first as Place).parent, (second as Place).parent);
    case 'span':
      return ofTwo((first as { handle: FileHandle }).handle, (second as { handle: FileHandle }).handle);
    case 'new-name':
      return ofTwo(first as NodeId, second as NodeId);
    default:
      return isAnnexNumber(first as NodeId);
  }
}

function ofTwo(one: NodeId | FileHandle, other: NodeId | FileHandle): boolean | 'both' {
  const isOne = isAnnexNumber(one);
  return isOne === isAnnexNumber(other) ? isOne : 'both';
}

/** The folder whose annex is named. */
function folderOf(
  op: keyof FileSystem,
  args: readonly unknown[],
  folderAt: (id: NodeId) => ProjectFolderNode | undefined,
): ProjectFolderNode | undefined {
  const named = placesOf(op, args).find(({ name }) => name === ANNEX);
  return named && folderAt(named.parent);
}

function placesOf(op: keyof FileSystem, args: readonly unknown[]): readonly Place[] {
  switch (SUBJECTS[op]) {
    case 'name':
      return [{ parent: args[0] as NodeId, name: String(args[1]) }];
    case 'new-name':
      return [{ parent: args[1] as NodeId, name: String(args[2]) }];
    case 'names':
      return [args[0] as Place, args[1] as Place];
    default:
      return [];
  }
}

/** Paths of both. */
export function pathsWithAnnexes(paths: Paths, annexes: Annexes): Paths {
  return {
    ofNode: (id) => (isAnnexNumber(id) ? annexes.pathOf(id) : paths.ofNode(id)),
    ofHandle: (handle) => (isAnnexNumber(handle) ? annexes.pathOfHandle(handle) : paths.ofHandle(handle)),
    ofDirectoryHandle: (handle) =>
      isAnnexNumber(handle) ? annexes.pathOfDirectoryHandle(handle) : paths.ofDirectoryHandle(handle),
  };
}
