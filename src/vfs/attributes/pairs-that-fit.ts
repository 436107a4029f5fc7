/**
 * A file has room for a limited number of pairs. Those of people and programs come first: pairs of our own are left out
 * where they would not fit beside them, and that is told once.
 */
import { METADATA_PAIRS_MAX } from '../../contract/limits.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ProjectFileNode } from '../model/node.ts';
import { pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { GIVING_WAY } from './reserved-pairs.ts';

type Pairs = Readonly<Record<string, string>>;

/** All pairs that a file is to have, without those of our own that there is no room for. */
export function withinLimit(pairs: Pairs): Pairs {
  return without(pairs, leftOutOf(pairs, GIVING_WAY));
}

/** Of pairs of our own that are to be set on a file that has `there` already: those that there is room for. */
export function fittingBeside(there: Pairs, own: Pairs): Pairs {
  const fresh = GIVING_WAY.filter((key) => Object.hasOwn(own, key) && !Object.hasOwn(there, key));
  return without(own, leftOutOf({ ...there, ...own }, fresh));
}

/** Whether all of them fit. */
export function fits(pairs: Pairs): boolean {
  return Object.keys(pairs).length <= METADATA_PAIRS_MAX;
}

const told = new WeakSet<ProjectFileNode>();

/** Once for each file, in `.svcfs/errors`. */
export function tellLeftOut(tree: Pick<Tree, 'recordError'>, node: ProjectFileNode): void {
  if (told.has(node)) return;
  told.add(node);
  const reason = `a file has at most ${METADATA_PAIRS_MAX} metadata pairs: mode and time of ${node.name} do not fit beside them and are not kept`;
  tree.recordError({ op: 'setattr', path: pathOf(node) }, new FsError('ENOSPC', reason));
}

/** As many of `candidates` as there are pairs too many, the first ones first. */
function leftOutOf(pairs: Pairs, candidates: readonly string[]): readonly string[] {
  const excess = Math.max(0, Object.keys(pairs).length - METADATA_PAIRS_MAX);
  return candidates.filter((key) => Object.hasOwn(pairs, key)).slice(0, excess);
}

function without(pairs: Pairs, keys: readonly string[]): Pairs {
  if (keys.length === 0) return pairs;
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => !keys.includes(key)));
}
