import { nanosecondsOf } from '../../lib/nanoseconds.ts';
import { S_IFDIR, S_IFLNK, S_IFREG } from '../attributes/attributes-of.ts';
import type { Attributes } from '../file-system.ts';
import type { SyntheticEntry } from '../model/synthetic.ts';
import type { TreeOptions } from '../model/tree.ts';
import type { SyntheticNode } from './node.ts';

const TYPES = { directory: S_IFDIR, file: S_IFREG, link: S_IFLNK, control: S_IFREG } as const;
/** A directory can be removed where a copy of it is, as those of the platform can. */
const PERMISSIONS = { directory: 0o755, file: 0o444, link: 0o777, control: 0o200 } as const;
const OF_THE_OWNER = 0o700;

export function fileTypeOfSynthetic(kind: SyntheticEntry['kind']): number {
  return TYPES[kind];
}

/** stat(2). All belongs to the user of the mount; what is private, to the user who mounted. */
export function attributesOfSynthetic(
  node: SyntheticNode,
  options: Pick<TreeOptions, 'uid' | 'gid' | 'umask' | 'mounter'>,
): Attributes {
  const mtimeNs = nanosecondsOf(node.entry.mtimeMs ?? node.madeMs);
  const { uid, gid } = node.isPrivate ? options.mounter : options;
  const permissions = PERMISSIONS[node.kind] & (node.isPrivate ? OF_THE_OWNER : ~options.umask);
  return {
    ino: node.ino,
    mode: TYPES[node.kind] | (node.kind === 'link' ? PERMISSIONS.link : permissions),
    nlink: node.isGone ? 0 : 1,
    uid,
    gid,
    sizeBytes: sizeOf(node),
    atimeNs: mtimeNs,
    mtimeNs,
    ctimeNs: mtimeNs,
  };
}

export function sizeOf(node: SyntheticNode): number {
  if (node.kind === 'file') return node.bytes.length;
  return node.kind === 'link' ? Buffer.byteLength(node.entry.target) : 0;
}
