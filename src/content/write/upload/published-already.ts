import type { Api } from '../../../api/api.ts';
import type { EntryRecord, FileRecord } from '../../../api/model.ts';
import { versionOfFile } from '../../content-version.ts';
import type { ContentReader, UploadTarget } from '../../ports.ts';
import type { ReadRange } from './same-bytes.ts';

/** How far the service's clock may be behind ours. */
const CLOCK_SKEW_MS = 10 * 60 * 1000;

export interface PublishedContext {
  readonly api: Pick<Api, 'buckets'> & { readonly files: Pick<Api['files'], 'find'> };
  readonly reader: ContentReader;
  readonly signal: AbortSignal;
}

/** What has the name of a target now. */
export function entryAt(
  api: PublishedContext['api'],
  target: UploadTarget,
): Promise<EntryRecord | undefined> {
  const options = { priority: 'data' } as const;
  return api.buckets.isFolder(target.parent)
    ? api.buckets.find(target, options)
    : api.files.find(target, options);
}

export type SameContent = (content: ReadRange) => Promise<boolean>;

export interface LostPublication {
  readonly target: UploadTarget;
  readonly sizeBytes: number;
  /** The file that had the name before. */
  readonly fileId: string | undefined;
  /** When the draft began, by our clock: what is older is not its publication. */
  readonly sinceMs: number;
  /** Whether a content is what was to be published; undefined: an upload that is gone by now tells enough. */
  readonly isSame: SameContent | undefined;
}

/**
 * The file that a call made whose answer was lost: a new file of this size has the name. Another client's may be like
 * that, and would take the place of what was written here: unless the upload itself is gone, the bytes decide.
 */
export async function publishedAlready(
  { api, reader, signal }: PublishedContext,
  { target, sizeBytes, fileId, sinceMs, isSame }: LostPublication,
): Promise<FileRecord | undefined> {
  const entry = await entryAt(api, target);
  if (entry?.kind !== 'file' || entry.id === fileId || entry.sizeBytes !== sizeBytes) return undefined;
  if (entry.createdMs < sinceMs - CLOCK_SKEW_MS) return undefined;
  return isSame === undefined || (await hasContent({ reader, signal }, entry, isSame)) ? entry : undefined;
}

/** Reads a file to tell whether it is what `isSame` knows. */
export async function hasContent(
  { reader, signal }: Pick<PublishedContext, 'reader' | 'signal'>,
  file: FileRecord,
  isSame: SameContent,
): Promise<boolean> {
  const content = reader.open(versionOfFile(file));
  try {
    return await isSame(({ start, end }) => content.read(start, end - start, { signal }));
  } finally {
    content.close();
  }
}
