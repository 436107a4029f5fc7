/**
 * Attributes that the platform has no place for. Programs that copy files set owners, modes and times of everything they
 * make, and fail when one of these fails. So a mount accepts and counts them, or refuses them (`--unkept`).
 */

import { FsError } from '../../errors/fs-error.ts';
import type { Node } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { UnkeptAttribute } from '../../model/unkept-counts.ts';

/** The values to set; undefined leaves one as it is. */
export interface SettableFacts {
  readonly mode: number | undefined;
  readonly mtimeNs: bigint | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** Why no mount keeps the attribute of such a node; undefined: it is kept. */
function whyUnkept(tree: Tree, node: Node, attribute: UnkeptAttribute): string | undefined {
  const isOnVolume = node.kind === 'volume-object' || node.kind === 'volume-directory';
  if (isOnVolume && !(attribute === 'owner' && isOnlyHere(node) && tree.options.owner === 'kept'))
    return `a volume keeps no ${attribute} of what is on it`;
  if (attribute !== 'owner' || tree.options.owner === 'kept') return undefined;
  return 'everything in this mount belongs to the user who mounted (--owner kept stores owners)';
}

/** It has an owner for as long as it is a file or folder of this machine. */
function isOnlyHere(node: Node): boolean {
  return node.kind === 'volume-object' ? !node.record : node.kind === 'volume-directory' && node.local;
}

/** The facts that are kept. Throws EPERM for one that is not, with `--unkept refuse`. */
export function withoutUnkept<F extends SettableFacts>(tree: Tree, node: Node, facts: F): F {
  const isKept = (attribute: UnkeptAttribute): boolean => whyUnkept(tree, node, attribute) === undefined;
  leaveOut(tree, node, attributesOf(facts));
  return {
    ...facts,
    owner: isKept('owner') ? facts.owner : undefined,
    mode: isKept('mode') ? facts.mode : undefined,
    mtimeNs: isKept('time') ? facts.mtimeNs : undefined,
  };
}

function leaveOut(tree: Tree, node: Node, asked: readonly UnkeptAttribute[]): void {
  for (const attribute of asked) {
    const why = whyUnkept(tree, node, attribute);
    if (why === undefined) continue;
    if (tree.options.unkept === 'refuse')
      throw new FsError(
        'EPERM',
        `${node.name} gets no other ${attribute}: ${why}, and --unkept refuse refuses what is not kept`,
      );
    tree.unkept.add(attribute);
  }
}

function attributesOf({ owner, mode, mtimeNs }: SettableFacts): readonly UnkeptAttribute[] {
  const asked: readonly [UnkeptAttribute, unknown][] = [
    ['owner', owner],
    ['mode', mode],
    ['time', mtimeNs],
  ];
  return asked.flatMap(([attribute, value]) => (value === undefined ? [] : [attribute]));
}
