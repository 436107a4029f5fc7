/**
 * How long what is known counts.
 *
 * Facts of the platform count for the metadata TTL; what exists in this mount alone is true until it changes here;
 * a virtual directory says for itself. The kernel is told what is left of that, never more.
 */
import { isLocalOnly } from '../model/identity.ts';
import type { DirectoryNode, Node } from '../model/node.ts';

/** For facts that never change: the kernel may keep them for a day. */
const FOREVER_MS = 86_400_000;

export interface Freshness {
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** Milliseconds for which the node's place and record still count; 0 when they must be asked for. */
export function nodeTtlLeft(node: Node, { nowMs, ttlMs }: Freshness): number {
  if (!node.parent || isLocalOnly(node)) return ttlMs;
  return left(node.checkedMs, directoryTtl(node.parent, ttlMs), nowMs);
}

/** The state of a name by a directory's cache; undefined: ask. */
export type KnownChild = { readonly node: Node } | { readonly node: undefined; readonly ttlLeftMs: number };

export function knownChild(
  directory: DirectoryNode,
  name: string,
  freshness: Freshness,
): KnownChild | undefined {
  const { children } = directory;
  const known = children.get(name);
  if (known?.kind === 'present') {
    return isLocalOnly(known.node) || nodeTtlLeft(known.node, freshness) > 0
      ? { node: known.node }
      : undefined;
  }
  const learntMs = Math.max(
    known?.learntMs ?? Number.NEGATIVE_INFINITY,
    children.completeMs ?? Number.NEGATIVE_INFINITY,
  );
  const ttlLeftMs = left(learntMs, absenceTtl(directory, freshness.ttlMs), freshness.nowMs);
  return ttlLeftMs > 0 ? { node: undefined, ttlLeftMs } : undefined;
}

/** The same by all that was ever learnt, however long ago, and not by what is to be asked anew. */
export function knownBefore(directory: DirectoryNode, name: string): KnownChild | undefined {
  if (isOfTheMoment(directory)) return undefined;
  const { children } = directory;
  const known = children.get(name);
  if (known?.kind === 'present') return wasChecked(known.node) ? { node: known.node } : undefined;
  const wasAbsent = children.completeMs !== undefined || Number.isFinite(known?.learntMs);
  return wasAbsent ? { node: undefined, ttlLeftMs: 0 } : undefined;
}

/** Whether the platform has told of it since it was last to be asked for anew. */
export function wasChecked(node: Node): boolean {
  return Number.isFinite(node.checkedMs);
}

/** Whether all names were known once, and none is to be asked for anew. */
export function wasComplete(directory: DirectoryNode): boolean {
  return !isOfTheMoment(directory) && directory.children.completeMs !== undefined;
}

/** Its entries cost no request, and come and go. */
function isOfTheMoment(directory: DirectoryNode): boolean {
  return directory.kind === 'virtual-directory' && directory.source.ttlMs === 0;
}

/** Whether all names are known and still count. */
export function isComplete(directory: DirectoryNode, { nowMs, ttlMs }: Freshness): boolean {
  const { completeMs } = directory.children;
  return completeMs !== undefined && left(completeMs, directoryTtl(directory, ttlMs), nowMs) > 0;
}

function directoryTtl(directory: DirectoryNode, ttlMs: number): number {
  return directory.kind === 'virtual-directory' ? Math.min(directory.source.ttlMs, FOREVER_MS) : ttlMs;
}

function absenceTtl(directory: DirectoryNode, ttlMs: number): number {
  const own = directory.kind === 'virtual-directory' ? directory.source.absenceTtlMs : undefined;
  return own ?? directoryTtl(directory, ttlMs);
}

function left(learntMs: number, ttlMs: number, nowMs: number): number {
  return Math.max(0, learntMs + ttlMs - nowMs);
}
