/**
 * Other clients may take the name of a file while it is written here. The last completion wins, whole, and the record of
 * errors tells when it replaced another's. With `--conflict=fail` the other's wins: the closer gets ESTALE, and the bytes
 * that were written here are kept aside.
 */
import type { ApiError } from '../../api/errors.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileContent } from '../model/file-content.ts';
import { isSameObject } from '../model/identity.ts';
import type { ProjectFileNode, VolumeObjectNode } from '../model/node.ts';
import { folderIdOf, pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** The platform's facts count as fresh that long. */
const FRESH_MS = 1000;

/** Whether a publication may replace what has the name on the platform. */
export function mayReplace({ options }: Tree, content: FileContent): boolean {
  const { node, exclusive, replaces, replacesEtag } = content;
  const isNew = node.record === undefined && replaces === undefined && replacesEtag === undefined;
  return !exclusive && !(isNew && options.conflict === 'fail');
}

/** Looks whether the file that is written has been replaced by another since. ESTALE: so it was, and is not replaced. */
export async function noteConflict(tree: Tree, content: FileContent, node: ProjectFileNode): Promise<void> {
  const { record, parent } = node;
  if (!record || parent?.kind !== 'project-folder' || tree.clock.elapsed() - node.checkedMs <= FRESH_MS)
    return;
  const current = await tree.api.files.find({ parent: folderIdOf(parent), name: record.name });
  if (!current || current.id === record.id) return;
  const reason = `${node.name} was replaced elsewhere (${current.id}) while it was written here`;
  if (tree.options.conflict === 'fail') throw lost(content, reason);
  const told = new FsError('ESTALE', `${reason}; this version now replaces it`);
  tree.recordError({ op: 'close', path: pathOf(node) }, told);
}

/**
 * As `noteConflict`, of an object. An export replaces any object that is there, and only `--conflict=fail` pays for the
 * look.
 */
export async function noteObjectConflict(
  { api, options }: Tree,
  content: FileContent,
  { record, volume, location, name }: VolumeObjectNode,
): Promise<void> {
  if (!record || options.conflict !== 'fail') return;
  const current = await api.volumes.object(volume.id, location);
  if (current && !isSameObject(record, current))
    throw lost(content, `${name} was replaced elsewhere while it was written here`);
}

/** Runs a publication. With `--conflict=fail` that of a new file ends with ESTALE when its name was taken meanwhile. */
export async function orLost<T>(tree: Tree, content: FileContent, publish: () => Promise<T>): Promise<T> {
  const isGuarded = !content.exclusive && !mayReplace(tree, content);
  try {
    return await publish();
  } catch (error) {
    if (isReplacedInBucket(error))
      throw lost(content, `${content.node.name} was replaced elsewhere while it was written here`, error);
    if (!isGuarded || errnoOf(error) !== 'EEXIST') throw error;
    throw lost(content, `${content.node.name} was made elsewhere while it was written here`, error);
  }
}

/** The store found another object than the one to be replaced. */
function isReplacedInBucket(error: unknown): boolean {
  return error instanceof Error && error.name === 'ApiError' && (error as ApiError).status === 412;
}

function lost(content: FileContent, reason: string, cause?: unknown): FsError {
  content.keepBecause = new FsError('ESTALE', reason, { cause });
  return content.keepBecause;
}
