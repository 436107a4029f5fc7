import { FsError } from '../../errors/fs-error.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import type { Contents } from '../../open/contents.ts';
import type { RenameParts } from './rename-parts.ts';

/** Brings to the platform what is only here. EBUSY while someone writes: a job cannot take what is half-written. */
export async function requireAllSent(
  { contents, attributes }: RenameParts,
  node: ProjectFileNode,
): Promise<void> {
  await contents.whenReleased(node);
  await contents.publishClosed(node);
  if (contents.find(node)?.writers) throw isWritten(node);
  await attributes.write(node);
}

/**
 * Runs `move`, a job that takes the file as it was sent, and its name from it: nobody begins to write it meanwhile. EBUSY
 * when someone has since it was sent. The caller holds the lock of its content.
 */
export async function whileAllSent<T>(
  contents: Contents,
  node: ProjectFileNode,
  move: () => Promise<T>,
): Promise<T> {
  const content = contents.of(node);
  const { writers, changes, outstanding } = content;
  if (writers > 0 || changes > 0 || outstanding !== 'none') throw isWritten(node);
  return content.holdingUp('writers', move);
}

function isWritten({ name }: ProjectFileNode): FsError {
  return new FsError('EBUSY', `${name} is being written: close it before it is moved away`);
}
