import type { ReservedFacts } from '../attributes/reserved-pairs.ts';
import type { ProjectFileNode } from '../node.ts';

/** Mode and time set here and not in the record yet. */
export function localFacts({ mode, mtimeNs }: Pick<ProjectFileNode, 'mode' | 'mtimeNs'>): ReservedFacts {
  return { ...(mode !== undefined && { mode }), ...(mtimeNs !== undefined && { mtimeNs }) };
}

/** The file shows them from now on. */
export function showFacts(node: ProjectFileNode, { mode, mtimeNs }: ReservedFacts): void {
  node.mode = mode ?? node.mode;
  node.mtimeNs = mtimeNs ?? node.mtimeNs;
}

/** They are in the record now; what was set since stays. */
export function localFactsSent(node: ProjectFileNode, sent: ReservedFacts): void {
  if (node.mode === sent.mode) node.mode = undefined;
  if (node.mtimeNs === sent.mtimeNs) node.mtimeNs = undefined;
}

/** The file is gone: nothing is left to set. */
export function forgetLocalFacts(node: ProjectFileNode): void {
  node.mode = undefined;
  node.mtimeNs = undefined;
}
