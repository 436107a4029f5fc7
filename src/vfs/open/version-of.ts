import type { ContentVersion } from '../../content/ports.ts';
import { FsError } from '../fs-error.ts';
import type { ProjectFileNode, VolumeObjectNode } from '../node.ts';
import { versionOfFile } from '../node.ts';

/** The published version of a node's bytes; undefined while it is only a draft. */
export function versionOf(node: ProjectFileNode | VolumeObjectNode): ContentVersion | undefined {
  if (!node.record) return undefined;
  if (node.kind === 'project-file') return versionOfFile(node.record);
  const { volume, location, etag, sizeBytes } = node.record;
  if (sizeBytes === undefined)
    throw new FsError('EIO', `volume ${volume} does not tell the size of ${location}`);
  return { kind: 'object', volume, location, etag, sizeBytes };
}

export function isSameVersion(a: ContentVersion, b: ContentVersion): boolean {
  if (a.sizeBytes !== b.sizeBytes) return false;
  if (a.kind === 'object')
    return b.kind === 'object' && a.volume === b.volume && a.location === b.location && a.etag === b.etag;
  return a.kind === b.kind && a.fileId === b.fileId;
}
