import { etagOf } from '../../content/content-version.ts';
import type { ContentVersion } from '../../content/ports.ts';
import type { PinnedFile, PinnedObject } from '../model/pin.ts';
import type { Tree } from '../model/tree.ts';
import { type ContentsOptions, contentsAt, type FoundFile } from './contents-at.ts';

/** The files at a path or anywhere below it, with the facts that a manifest pins. Their paths are those in the tree. */
export async function* pinsAt(
  tree: Tree,
  path: string,
  options: ContentsOptions,
): AsyncGenerator<PinnedFile> {
  for await (const found of contentsAt(tree, path, options)) {
    try {
      yield await pinOf(tree, found, options.signal);
    } catch (error) {
      options.signal.throwIfAborted();
      options.onFailure(found.path, error);
    }
  }
}

async function pinOf(
  tree: Tree,
  { path, node, version }: FoundFile,
  signal: AbortSignal,
): Promise<PinnedFile> {
  const record = node.kind === 'project-file' ? node.record : undefined;
  const object = await objectOf(tree, version, signal);
  const md5 = record?.metadata['md5_sum']?.toLowerCase();
  return {
    path,
    id: record?.id,
    project: record?.project,
    name: record?.name,
    sizeBytes: object?.sizeBytes ?? version.sizeBytes,
    modifiedMs: node.record?.modifiedMs,
    object: object?.pinned,
    checksums: md5 !== undefined && /^[0-9a-f]{32}$/.test(md5) ? { md5 } : undefined,
  };
}

/** The object that has the bytes, if one does. Of an alias the store is asked for its ETag. */
async function objectOf(
  tree: Tree,
  version: ContentVersion,
  signal: AbortSignal,
): Promise<{ readonly pinned: PinnedObject; readonly sizeBytes: number } | undefined> {
  if (version.kind === 'file') return undefined;
  const { volume, location, sizeBytes } = version;
  const etag = etagOf(version);
  if (etag !== undefined || version.kind === 'object')
    return { pinned: { volume, location, etag }, sizeBytes };
  const view = tree.reader.open(version);
  try {
    const object = await view.inspect(signal);
    return { pinned: { volume, location, etag: object.etag }, sizeBytes: object.sizeBytes };
  } finally {
    view.close();
  }
}
