import { FsError } from '../../fs-error.ts';
import type { ProjectFileNode } from '../../node.ts';
import type { RenameParts } from './rename-parts.ts';

/** Brings to the platform what is only here. EBUSY while someone writes: a job cannot take what is half-written. */
export async function requireAllSent(
  { contents, attributes }: RenameParts,
  node: ProjectFileNode,
): Promise<void> {
  await contents.publishClosed(node);
  if (contents.find(node)?.writers)
    throw new FsError('EBUSY', `${node.name} is being written: close it before it is moved away`);
  await attributes.write(node);
}
