/**
 * What cp(1), mv(1) and rm(1) cost on a mount: the calls that their system calls become, as SEMANTICS.md and GUARANTEES.md of
 * src/vfs have them. A mount that has looked before asks less to look; the changes are the same.
 */
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import type { Tree, TreeFile } from './tree.ts';

/** `project`: id of the one, where it is in one. */
export interface End {
  readonly where: 'project' | 'volume' | 'local';
  readonly project?: string | undefined;
  readonly tree: Tree;
}

export interface ShellOptions {
  readonly recursive: boolean;
  /** `-n`: false. */
  readonly clobber: boolean;
  readonly update: boolean;
  /** Mode and time are kept. */
  readonly preserve: boolean;
  /** Requests by which the mount makes a file of bytes that are written to it. */
  readonly requestsToWrite: (bytes: number, annotated: boolean) => number;
}

export type Change = 'make' | 'copy' | 'write' | 'edit' | 'move' | 'export' | 'import' | 'remove';

export interface ShellCost {
  /** Requests that change something, by what they do. */
  readonly changes: Readonly<Partial<Record<Change, number>>>;
  /** Links to contents that are read, and objects that are asked for by name. */
  readonly links: number;
  readonly jobs: number;
  /** That pass this machine. */
  readonly carriedBytes: number;
  readonly bytes: number;
}

/** The system refuses it; the message says why. */
export class ShellRefusal extends Error {
  override readonly name = 'ShellRefusal';
}

export function costOfRemoval({ where, tree }: End, { recursive }: ShellOptions): ShellCost {
  if (where === 'volume') throw new ShellRefusal('the platform removes nothing from a volume (EPERM)');
  if (tree.folders.size > 0 && !recursive) throw new ShellRefusal('is a directory: rm -r removes it');
  return { ...NOTHING, changes: { remove: tree.files.size + tree.folders.size }, bytes: bytesOf(tree) };
}

export function costOfCopy(from: End, to: End, options: ShellOptions): ShellCost {
  if (from.tree.folders.size > 0 && !options.recursive)
    throw new ShellRefusal('is a directory: cp -r copies it');
  const sum = new Sum();
  if (to.where === 'project')
    for (const path of from.tree.folders) if (!to.tree.folders.has(path)) sum.change('make', 1);
  for (const [path, file] of from.tree.files) {
    const there = to.tree.files.get(path);
    if (there !== undefined && (!options.clobber || (options.update && there.modifiedMs >= file.modifiedMs)))
      continue;
    addCopied(sum, { file, replaces: there !== undefined }, { from, to, options });
  }
  return sum.cost();
}

function addCopied(
  sum: Sum,
  { file, replaces }: { readonly file: TreeFile; readonly replaces: boolean },
  { from, to, options }: { readonly from: End; readonly to: End; readonly options: ShellOptions },
): void {
  sum.bytes += file.bytes;
  const way = `${from.where} ${to.where}`;
  switch (way) {
    case 'project project':
      // The system copies nothing of an empty file: it is made.
      if (file.bytes === 0) sum.change('write', options.requestsToWrite(0, options.preserve));
      else sum.change('copy', 1);
      if (file.bytes > 0 && replaces) sum.change('edit', 1);
      return;
    case 'project volume':
      if (replaces) throw new ShellRefusal('an object is there: jobs of a copy replace none here');
      sum.change('export', 1);
      sum.links += 1;
      sum.jobs += 1;
      return;
    case 'volume project':
      sum.change('import', 1);
      sum.jobs += 1;
      return;
    case 'local project':
      sum.carriedBytes += file.bytes;
      sum.change('write', options.requestsToWrite(file.bytes, options.preserve));
      return;
    case 'project local':
    case 'volume local':
      sum.carriedBytes += file.bytes;
      if (file.bytes > 0) sum.links += 1;
      return;
    default:
      throw new ShellRefusal(
        'what writing bytes to a volume takes depends on the staging project of the mount: no plan tells it',
      );
  }
}

export function costOfMove(from: End, to: End, options: ShellOptions): ShellCost {
  const { files, folders } = from.tree;
  const isThere = to.tree.files.has('') || to.tree.folders.size > 0;
  if (isThere && !options.clobber) return NOTHING;
  if (folders.size > 0 && to.tree.folders.size + to.tree.files.size > 1)
    throw new ShellRefusal('the folder that is there is not empty (ENOTEMPTY)');
  const sum = new Sum();
  sum.bytes = bytesOf(from.tree);
  switch (`${from.where} ${to.where}`) {
    case 'project project':
      sum.change('move', 1);
      if (folders.size > 0 || from.project !== to.project) sum.jobs = 1;
      return sum.cost();
    case 'project volume':
      sum.change('export', Math.ceil(files.size / BULK_ITEMS_MAX));
      sum.jobs = files.size;
      return sum.cost();
    case 'volume project':
      sum.change('make', folders.size);
      sum.change('import', Math.ceil(files.size / BULK_ITEMS_MAX));
      sum.jobs = files.size;
      return sum.cost();
    case 'volume volume':
      throw new ShellRefusal('objects of volumes are not renamed (EPERM)');
    default: {
      if (from.where === 'volume')
        throw new ShellRefusal('its objects would be copied, and not removed: the platform removes none');
      const copied = costOfCopy(from, to, { ...options, recursive: true, preserve: true });
      if (from.where === 'local') return copied;
      return { ...copied, changes: { ...copied.changes, remove: files.size + folders.size } };
    }
  }
}

export const NOTHING: ShellCost = { changes: {}, links: 0, jobs: 0, carriedBytes: 0, bytes: 0 };

export function sumOf(costs: readonly ShellCost[]): ShellCost {
  const sum = new Sum();
  for (const { changes, links, jobs, carriedBytes, bytes } of costs) {
    for (const [change, count] of Object.entries(changes)) sum.change(change as Change, count);
    sum.links += links;
    sum.jobs += jobs;
    sum.carriedBytes += carriedBytes;
    sum.bytes += bytes;
  }
  return sum.cost();
}

function bytesOf({ files }: Tree): number {
  return [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}

class Sum {
  links = 0;
  jobs = 0;
  carriedBytes = 0;
  bytes = 0;
  readonly #changes: Partial<Record<Change, number>> = {};

  change(change: Change, count: number): void {
    if (count > 0) this.#changes[change] = (this.#changes[change] ?? 0) + count;
  }

  cost(): ShellCost {
    const { links, jobs, carriedBytes, bytes } = this;
    return { changes: this.#changes, links, jobs, carriedBytes, bytes };
  }
}
