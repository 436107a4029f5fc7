import { localFacts } from '../attributes/local-facts.ts';
import type { ReservedFacts } from '../attributes/reserved-pairs.ts';
import type { ProjectFileNode } from '../model/node.ts';

/** What is set on a file waits for its content; what is taken from it is gone from its record as well. */
export function isSetSince(node: ProjectFileNode, { pending, record, facts }: Settings): boolean {
  // A write takes the time back: that is told with its own bytes.
  const { mode = facts.mode, mtimeNs = facts.mtimeNs, owner = facts.owner } = node;
  const isNewFact = mode !== facts.mode || mtimeNs !== facts.mtimeNs || owner !== facts.owner;
  return node.pending !== pending || node.record !== record || isNewFact;
}

interface Settings extends Pick<ProjectFileNode, 'pending' | 'record'> {
  readonly facts: ReservedFacts;
}

/** As they are now. */
export function settingsOf(node: ProjectFileNode): Settings {
  return { pending: node.pending, record: node.record, facts: localFacts(node) };
}
