import { versionOfFile } from '../../content/content-version.ts';
import type { ContentVersion } from '../../content/ports.ts';
import { FsError } from '../fs-error.ts';
import type { ProjectFileNode, VolumeObjectNode } from '../node.ts';
import { isAlias } from '../node.ts';

/** The published version of a node's bytes; undefined while it is only a draft. */
export function versionOf(node: ProjectFileNode | VolumeObjectNode): ContentVersion | undefined {
  if (!node.record) return undefined;
  if (node.kind === 'project-file') {
    const version = versionOfFile(node.record);
    return isAlias(node) ? { ...version, ...node.object } : version;
  }
  const { volume, location, etag, sizeBytes } = node.record;
  if (sizeBytes === undefined)
    throw new FsError('EIO', `volume ${volume} does not tell the size of ${location}`);
  return { kind: 'object', volume, location, etag, sizeBytes };
}

export function isSameVersion(a: ContentVersion, b: ContentVersion): boolean {
  if (a.sizeBytes !== b.sizeBytes) return false;
  if (a.kind === 'object')
    return b.kind === 'object' && a.volume === b.volume && a.location === b.location && a.etag === b.etag;
  if (a.kind === 'alias') return b.kind === 'alias' && a.fileId === b.fileId && a.etag === b.etag;
  return b.kind === 'file' && a.fileId === b.fileId;
}
