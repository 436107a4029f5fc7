import { parseTime, timeText } from '../../lib/nanoseconds.ts';
import { OWN_PREFIX } from '../../metadata/own-pairs.ts';
import type { Owner } from '../model/node.ts';

/**
 * Attributes without a field of the platform are kept in metadata pairs under a prefix of our own. These are no extended
 * attributes: `user.svc.metadata` neither shows nor touches them.
 */
const MODE = `${OWN_PREFIX}mode`;
const MTIME = `${OWN_PREFIX}mtime`;
const OWNER = `${OWN_PREFIX}owner`;

/** Linux has no user of the number after it. */
const LARGEST_ID = 2 ** 32 - 2;

/** Left out of a file whose other pairs leave no room for them, the first ones first. */
export const GIVING_WAY: readonly string[] = [MTIME, MODE, OWNER];

const NONE: ReservedFacts = {};

export interface ReservedFacts {
  /** Permission bits. */
  readonly mode?: number;
  readonly mtimeNs?: bigint;
  /** As the machine that set it knows users and groups. */
  readonly owner?: Owner;
}

/** Facts that are not as we write them are left out: someone else's pair. */
export function readReservedPairs(metadata: Readonly<Record<string, string>>): ReservedFacts {
  const mode = metadata[MODE];
  const mtime = metadata[MTIME];
  const owner = metadata[OWNER];
  if (mode === undefined && mtime === undefined && owner === undefined) return NONE;
  const mtimeNs = mtime === undefined ? undefined : parseTime(mtime);
  return {
    ...(mode !== undefined && /^[0-7]{1,4}$/.test(mode) && { mode: Number.parseInt(mode, 8) }),
    ...(mtimeNs !== undefined && { mtimeNs }),
    ...ownerOf(owner),
  };
}

function ownerOf(text: string | undefined): Pick<ReservedFacts, 'owner'> {
  const [, uid, gid] = /^(\d{1,10}):(\d{1,10})$/.exec(text ?? '') ?? [];
  const owner = { uid: Number(uid), gid: Number(gid) };
  return owner.uid <= LARGEST_ID && owner.gid <= LARGEST_ID ? { owner } : {};
}

export function reservedPairs(facts: ReservedFacts): Record<string, string> {
  return {
    ...(facts.mode !== undefined && { [MODE]: (facts.mode & 0o7777).toString(8) }),
    ...(facts.mtimeNs !== undefined && { [MTIME]: timeText(facts.mtimeNs) }),
    ...(facts.owner !== undefined && { [OWNER]: `${facts.owner.uid}:${facts.owner.gid}` }),
  };
}
