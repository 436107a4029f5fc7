import type { FileRecord } from '../../../api/model.ts';
import type { Draft } from '../../../content/ports.ts';
import { LINK_PAIR, LINK_TARGET_BYTES_MAX, linkPairFor } from '../../../jobs/symbolic-link.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { makerOf } from '../../attributes/maker-of.ts';
import { reservedPairs } from '../../attributes/reserved-pairs.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { RequestContext } from '../../file-system.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import { requireName } from '../../model/names.ts';
import type { Node } from '../../model/node.ts';
import { folderIdOf, pathOf } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';

/** A symbolic link in a project: it is on the platform when this returns, in every mode. The name is free. */
export async function makeLink(
  tree: Tree,
  { parent, name }: Place,
  { target, by }: { readonly target: string; readonly by: Pick<RequestContext, 'uid' | 'gid'> },
): Promise<Node> {
  if (parent.kind === 'volume-directory')
    throw new FsError('EPERM', `a volume keeps no symbolic links: ${name} can be one in a project`);
  if (parent.kind !== 'project-folder')
    throw new FsError('EPERM', `links are made in projects, not in ${parent.name || 'the mount itself'}`);
  if (!tree.options.symlinks)
    throw new FsError('EPERM', `${name} would be shown as a file: the mount has --no-symlinks`);
  requireWritable(tree, parent);
  requireName(parent, name, 'file');
  const bytes = Buffer.from(target);
  if (bytes.length > LINK_TARGET_BYTES_MAX)
    throw new FsError(
      'ENAMETOOLONG',
      `the target of a link has at most ${LINK_TARGET_BYTES_MAX} bytes, this one ${bytes.length}`,
    );
  const owner = makerOf(tree, parent, by);
  const pairs = { [LINK_PAIR]: linkPairFor(target), ...reservedPairs({ ...(owner && { owner }) }) };
  const path = `${pathOf(parent)}/${name}`;
  const draft = await tree.writer.draft({
    target: { parent: folderIdOf(parent), name: nameOnPlatform(name), overwrite: false },
    base: undefined,
    label: path,
  });
  const node = tree.placedRecord(parent, await published(tree, draft, { path, bytes, pairs }));
  if (node.kind === 'project-file') node.writtenMs = tree.clock.now();
  return node;
}

async function published(
  tree: Tree,
  draft: Draft,
  link: {
    readonly path: string;
    readonly bytes: Uint8Array;
    readonly pairs: Readonly<Record<string, string>>;
  },
): Promise<FileRecord> {
  try {
    await draft.write(0, link.bytes, NEVER_ABORTED);
    await draft.annotate({ metadata: link.pairs, tags: undefined });
    const file = await draft.publish(NEVER_ABORTED);
    await draft.close();
    return file;
  } catch (error) {
    await giveUp(tree, draft, link.path);
    throw error;
  }
}

/** Nothing of it stays: neither bytes for the next mount, nor a file that is no link. */
async function giveUp(tree: Tree, draft: Draft, path: string): Promise<void> {
  try {
    const fileId = draft.publishedFileId ?? (await draft.unanswered())?.id;
    if (fileId !== undefined) await tree.api.files.delete(fileId);
  } catch (error) {
    tree.recordError({ op: 'symlink', path }, error);
  } finally {
    await draft.discard();
  }
}
