import type { ProjectFileNode } from '../model/node.ts';
import type { ReservedFacts } from './reserved-pairs.ts';

type Facts = Pick<ProjectFileNode, 'mode' | 'mtimeNs'> & Partial<Pick<ProjectFileNode, 'owner'>>;

/** Mode, time and owner set here and not in the record yet. */
export function localFacts({ mode, mtimeNs, owner }: Facts): ReservedFacts {
  return {
    ...(mode !== undefined && { mode }),
    ...(mtimeNs !== undefined && { mtimeNs }),
    ...(owner !== undefined && { owner }),
  };
}

/** The file shows them from now on. */
export function showFacts(node: ProjectFileNode, { mode, mtimeNs, owner }: ReservedFacts): void {
  node.mode = mode ?? node.mode;
  node.mtimeNs = mtimeNs ?? node.mtimeNs;
  node.owner = owner ?? node.owner;
}

/** They are in the record now; what was set since stays. */
export function localFactsSent(node: ProjectFileNode, sent: ReservedFacts): void {
  if (node.mode === sent.mode) node.mode = undefined;
  if (node.mtimeNs === sent.mtimeNs) node.mtimeNs = undefined;
  if (node.owner === sent.owner) node.owner = undefined;
}

/** The file is gone: nothing is left to set. */
export function forgetLocalFacts(node: ProjectFileNode): void {
  node.mode = undefined;
  node.mtimeNs = undefined;
  node.owner = undefined;
}
