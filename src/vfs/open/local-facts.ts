import type { ReservedFacts } from '../attributes/reserved-pairs.ts';
import type { ProjectFileNode } from '../node.ts';

/** Mode and time set here and not in the record yet. */
export function localFacts({ mode, mtimeMs }: Pick<ProjectFileNode, 'mode' | 'mtimeMs'>): ReservedFacts {
  return { ...(mode !== undefined && { mode }), ...(mtimeMs !== undefined && { mtimeMs }) };
}

/** They are in the record now; what was set since stays. */
export function localFactsSent(node: ProjectFileNode, sent: ReservedFacts): void {
  if (node.mode === sent.mode) node.mode = undefined;
  if (node.mtimeMs === sent.mtimeMs) node.mtimeMs = undefined;
}

/** The file is gone: nothing is left to set. */
export function forgetLocalFacts(node: ProjectFileNode): void {
  node.mode = undefined;
  node.mtimeMs = undefined;
}
