/**
 * The calls that a command becomes. Steps run one after another; the calls of a step run side by side. A folder or file
 * that an earlier step makes has its id from then on.
 */

import type { FileRecord } from '../api/model.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import type { Item, Outcome } from './item.ts';

/** A folder of a project, which may still be to be made. */
export interface FolderRef {
  id: string | undefined;
}

/** A file that is made under a name of its own, before it takes that of another. */
export interface FileRef {
  id: string | undefined;
  /** Of the making, once it was tried. */
  outcome?: Outcome;
}

export interface To {
  readonly parent: FolderRef;
  readonly name: string;
}

/** A folder of a project that this item takes an entry from. */
interface From {
  readonly parent: string | undefined;
  readonly name: string;
}

interface OfFile extends Item {
  readonly id: string;
  readonly from: From;
}

export interface Deletion extends OfFile {}

export interface FolderToMake extends Item {
  readonly to: To;
  readonly made: FolderRef;
  /** Only so that others can go there: nobody is told of it. */
  readonly untold?: true;
}

/** `made`: the file that it made, or moved. */
export interface Transition extends OfFile {
  readonly to: To;
  /** Replaces the file that has the name, by capability `rename_overwrite`. */
  readonly overwrite: boolean;
  /** It is moved to another project, for which there is no call but a job. */
  readonly leavesProject: boolean;
  readonly made?: FileRef | undefined;
}

/** The file `made` takes the name of the one that it replaces. */
export interface Taking extends Item {
  readonly made: FileRef;
  readonly to: To;
  readonly replaced: string;
}

export interface Export extends Item {
  readonly id: string;
  readonly volume: string;
  readonly location: string;
  readonly overwrite: boolean;
}

export interface Import extends Item {
  readonly volume: string;
  readonly location: string;
  readonly to: To;
  readonly overwrite: boolean;
}

/** A file of this machine that goes to a project. */
export interface Upload extends Item {
  readonly path: string;
  readonly to: To;
  /** The file that has the name, and goes; its tags and pairs stay. */
  readonly replaced: FileRecord | undefined;
  /** Pairs that the file gets. */
  readonly pairs: Readonly<Record<string, string>>;
  /** That it takes. */
  readonly requests: number;
}

/** A file of a project that comes to this machine. */
export interface Download extends Item {
  readonly file: FileRecord;
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** Undefined: the time of its writing. */
  readonly mtimeMs: number | undefined;
}

/** A directory of this machine. */
export interface LocalFolder extends Item {
  readonly path: string;
}

/** A folder from which all has been moved. */
export interface Leftover extends Item {
  readonly id: string;
  readonly from: From;
}

export type Step =
  /** Folders of one depth: their parents are there. */
  | { readonly kind: 'folders'; readonly items: readonly FolderToMake[] }
  | { readonly kind: 'delete'; readonly items: readonly Deletion[] }
  | { readonly kind: 'job'; readonly operation: 'delete'; readonly items: readonly Deletion[] }
  | { readonly kind: 'job'; readonly operation: 'copy' | 'move'; readonly items: readonly Transition[] }
  /** Calls for single files. */
  | { readonly kind: 'single'; readonly operation: 'copy' | 'move'; readonly items: readonly Transition[] }
  | { readonly kind: 'take-names'; readonly atomic: boolean; readonly items: readonly Taking[] }
  | { readonly kind: 'export'; readonly copyOnly: boolean; readonly items: readonly Export[] }
  | { readonly kind: 'import'; readonly items: readonly Import[] }
  | { readonly kind: 'leftovers'; readonly items: readonly Leftover[] }
  | { readonly kind: 'upload'; readonly items: readonly Upload[] }
  /** Each after that above it. */
  | { readonly kind: 'local-folders'; readonly items: readonly LocalFolder[] }
  | { readonly kind: 'download'; readonly items: readonly Download[] };

/** The items of which a person is told: of a file that takes a name, when it has it. */
export function toldItems(step: Step): readonly Item[] {
  return (step.items as readonly Item[]).filter((item) => stagedBy(item) === undefined && !isUntold(item));
}

export function isUntold(item: Item): boolean {
  return 'untold' in item;
}

/** Set while the file has a name of its own. */
export function stagedBy(item: Item): FileRef | undefined {
  return 'made' in item && 'leavesProject' in item ? (item.made as FileRef | undefined) : undefined;
}

/** The requests that a step takes, but for those that ask how its jobs are. */
export function requestsOf(step: Step): number {
  const count = step.items.length;
  switch (step.kind) {
    case 'folders':
    case 'single':
    case 'leftovers':
      return count;
    case 'upload':
      return step.items.reduce((sum, { requests }) => sum + requests, 0);
    case 'download':
      return step.items.filter(({ file }) => file.sizeBytes > 0).length;
    case 'local-folders':
      return 0;
    case 'take-names':
      return step.atomic ? count : 2 * count;
    case 'delete':
    case 'job':
    case 'export':
    case 'import':
      return Math.ceil(count / BULK_ITEMS_MAX);
  }
}

/** The jobs that a step starts. */
export function jobsOf(step: Step): number {
  switch (step.kind) {
    case 'job':
      return requestsOf(step);
    case 'export':
    case 'import':
      return step.items.length;
    default:
      return 0;
  }
}
