import { versionOfFile } from '../../content/content-version.ts';
import type { ContentVersion } from '../../content/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ProjectFileNode, VolumeObjectNode } from './node.ts';
import { isAlias } from './node.ts';

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
