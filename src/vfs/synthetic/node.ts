/** Synthetic entries that the kernel holds a number for. */
import type { NodeId } from '../file-system.ts';
import type {
  ControlFile,
  SyntheticDirectory,
  SyntheticEntry,
  SyntheticFile,
  SyntheticLink,
} from '../model/synthetic.ts';
import type { Names } from './names.ts';

interface NodeBase {
  readonly id: NodeId;
  readonly ino: bigint;
  /** Undefined for the top of a tree. */
  readonly parent: DirectoryNode | undefined;
  readonly name: string;
  readonly isPrivate: boolean;
  /** References of the kernel. */
  lookups: number;
  /** When the mount first saw it. */
  readonly madeMs: number;
  /** When its name was last looked up, on the clock that only goes forward. */
  learntMs: number;
  /** Its name means something else by now, or nothing. */
  isGone: boolean;
}

export interface DirectoryNode extends NodeBase {
  readonly kind: 'directory';
  entry: SyntheticDirectory;
  readonly children: Map<string, SyntheticNode>;
  /** Undefined: to be asked for. */
  names: Names | undefined;
  /** Of the top of a tree: where it is in the mount. */
  readonly path: string | undefined;
}

/** A file as it was when its name was looked up: other bytes are another node, so that nobody reads half of each. */
export interface FileNode extends NodeBase {
  readonly kind: 'file';
  readonly parent: DirectoryNode;
  entry: SyntheticFile;
  readonly bytes: Buffer;
}

export interface LinkNode extends NodeBase {
  readonly kind: 'link';
  readonly parent: DirectoryNode;
  entry: SyntheticLink;
}

export interface ControlNode extends NodeBase {
  readonly kind: 'control';
  readonly parent: DirectoryNode;
  entry: ControlFile;
}

export type SyntheticNode = DirectoryNode | FileNode | LinkNode | ControlNode;

/** Milliseconds for which its name need not be looked up again. */
export function ttlLeft(node: SyntheticNode, nowMs: number): number {
  const ttlMs = node.entry.ttlMs ?? node.parent?.entry.entriesTtlMs ?? 0;
  return Math.min(Math.max(0, node.learntMs + ttlMs - nowMs), LONGEST_MS);
}

/** As long as the kernel may keep anything. */
export const LONGEST_MS = 86_400_000;

/** From the top of the mount. */
export function pathOf(node: SyntheticNode): string {
  if (node.parent) return `${pathOf(node.parent)}/${node.name}`;
  return node.kind === 'directory' && node.path !== undefined ? node.path : `/${node.name}`;
}

/** Whether an entry may be shown by a node: of a file, the bytes are still to be compared. */
export function isSame(node: SyntheticNode, entry: SyntheticEntry): boolean {
  if (node.kind !== entry.kind || node.entry.id !== entry.id) return false;
  return node.kind !== 'link' || entry.kind !== 'link' || node.entry.target === entry.target;
}
