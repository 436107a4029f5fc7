/**
 * The annex of a folder: the directory `.svcfs` that every folder of a project answers to and none lists. Its nodes are
 * apart from those of the tree, with numbers of their own: nothing that works on the platform's files can meet one.
 */

import type { Format } from '../../metadata/table.ts';
import type { FilePlace } from '../../places/places.ts';
import type { Awaitable, NodeId } from '../file-system.ts';
import type { LocalRoom } from './local-room.ts';
import type { TableScope } from './table-scope.ts';

interface AnnexNodeBase<Parent = AnnexDirectory> {
  readonly id: NodeId;
  readonly ino: bigint;
  readonly parent: Parent;
  /** Changes by a rename of a file on this machine. */
  name: string;
  /** References of the kernel. */
  lookups: number;
}

export interface AnnexDirectory extends AnnexNodeBase<AnnexDirectory | undefined> {
  readonly kind: 'directory';
  readonly source: AnnexSource;
  readonly madeMs: number;
  /** Entries that the kernel knows, by name. */
  readonly children: Map<string, AnnexNode>;
  /** Names of tables that a program renamed, and when: an editor makes the name anew, and finds nothing there before. */
  readonly away: Map<string, number>;
}

/** A table as it was when it was looked up: another text is another node, so that nobody reads half of each. */
export interface TableNode extends AnnexNodeBase {
  readonly kind: 'table';
  readonly scope: TableScope;
  readonly format: Format;
  readonly bytes: Buffer;
  /** The files that it tells of. */
  files: readonly FilePlace[];
  readonly madeMs: number;
}

/** A file that a program, or an import, put beside a table. It is on this machine only. */
export interface LocalNode extends AnnexNodeBase {
  readonly kind: 'local';
  readonly room: LocalRoom;
}

export interface LinkNode extends AnnexNodeBase {
  readonly kind: 'link';
  readonly target: string;
}

export type AnnexFileNode = TableNode | LocalNode;
export type AnnexNode = AnnexDirectory | AnnexFileNode | LinkNode;

export interface AnnexName {
  readonly name: string;
  readonly kind: AnnexNode['kind'];
}

/** The contents of a directory of an annex. */
export interface AnnexSource {
  /** The files it is about, and whether they may be changed. */
  readonly scope: TableScope;
  /** Where programs may put files; undefined: nowhere. */
  readonly room: LocalRoom | undefined;
  child(directory: AnnexDirectory, name: string, signal: AbortSignal): Awaitable<AnnexNode | undefined>;
  /** The entries that are listed. */
  names(directory: AnnexDirectory, signal: AbortSignal): Awaitable<readonly AnnexName[]>;
}

/** From the top of the tree. */
export function annexPath(node: AnnexNode, topPath: (top: AnnexDirectory) => string): string {
  if (node.parent) return `${annexPath(node.parent, topPath)}/${node.name}`;
  return node.kind === 'directory' ? topPath(node) : node.name;
}
