import { nanosecondsOf } from '../../lib/nanoseconds.ts';
import { S_IFDIR, S_IFLNK, S_IFREG } from '../attributes/attributes-of.ts';
import type { Attributes } from '../file-system.ts';
import type { Tree } from '../model/tree.ts';
import type { AnnexNode } from './node.ts';
import type { AnnexFiles } from './open-files.ts';

const TYPES = { directory: S_IFDIR, table: S_IFREG, local: S_IFREG, link: S_IFLNK } as const;
const WRITE_BITS = 0o222;

export function fileTypeOfAnnex(kind: AnnexNode['kind']): number {
  return TYPES[kind];
}

/** stat(2). All belongs to the user of the mount, as files of the platform do. */
export async function attributesOfAnnex(
  node: AnnexNode,
  { options }: Pick<Tree, 'options'>,
  files: Pick<AnnexFiles, 'writtenSize'>,
): Promise<Attributes> {
  const { permissions, sizeBytes, mtimeNs } = await factsOf(node, files);
  const mode = isWritable(node, options)
    ? permissions & ~options.umask
    : permissions & ~options.umask & ~WRITE_BITS;
  return {
    ino: node.ino,
    mode: TYPES[node.kind] | (node.kind === 'link' ? permissions : mode),
    nlink: 1,
    uid: options.uid,
    gid: options.gid,
    sizeBytes,
    atimeNs: mtimeNs,
    mtimeNs,
    ctimeNs: mtimeNs,
  };
}

interface Facts {
  readonly permissions: number;
  readonly sizeBytes: number;
  readonly mtimeNs: bigint;
}

async function factsOf(node: AnnexNode, files: Pick<AnnexFiles, 'writtenSize'>): Promise<Facts> {
  switch (node.kind) {
    case 'directory':
      return { permissions: 0o777, sizeBytes: 0, mtimeNs: nanosecondsOf(node.madeMs) };
    case 'link':
      return {
        permissions: 0o777,
        sizeBytes: Buffer.byteLength(node.target),
        mtimeNs: nanosecondsOf(node.parent.madeMs),
      };
    case 'table': {
      const sizeBytes = (await files.writtenSize(node)) ?? node.bytes.length;
      return { permissions: 0o666, sizeBytes, mtimeNs: nanosecondsOf(node.madeMs) };
    }
    case 'local': {
      const stats = await node.room.stat(node.name);
      // It was removed, and somebody has it open.
      return {
        permissions: Number(stats?.mode ?? 0) & 0o777,
        sizeBytes: Number(stats?.size ?? 0),
        mtimeNs: stats?.mtimeNs ?? 0n,
      };
    }
  }
}

/** Whether the platform may take a change, as far as is known. */
function isWritable(node: AnnexNode, { readOnly }: Tree['options']): boolean {
  const directory = node.kind === 'directory' ? node : node.parent;
  return !readOnly && (directory?.source.scope.folder.project.record?.permissions.write ?? true);
}
