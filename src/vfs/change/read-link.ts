import { TARGET_IS_CONTENT } from '../../jobs/symbolic-link.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Node } from '../model/node.ts';
import { isLink, sizeOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';

/** The target of a link: in its pair, or in its content where it is too long for one. */
export async function readLink(tree: Tree, node: Node, signal: AbortSignal): Promise<string> {
  if (!isLink(node)) throw new FsError('EINVAL', `${node.name} is no symbolic link`);
  if (node.link !== TARGET_IS_CONTENT) return node.link;
  const version = versionOf(node);
  if (!version) throw new FsError('EIO', `${node.name} has no content`);
  const view = tree.reader.open(version);
  try {
    const { chunks, release } = await view.read(0, sizeOf(node) ?? 0, { signal });
    const target = decoded(Buffer.concat(chunks));
    release?.();
    if (target === undefined) throw new FsError('EIO', `the content of ${node.name} is no target of a link`);
    return target;
  } finally {
    view.close();
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
