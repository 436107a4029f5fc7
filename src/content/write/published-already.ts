import type { Api } from '../../api/api.ts';
import type { FileRecord } from '../../api/model.ts';
import type { UploadTarget } from '../ports.ts';

/** How far the service's clock may be behind ours. */
const CLOCK_SKEW_MS = 10 * 60 * 1000;

export interface LostPublication {
  readonly target: UploadTarget;
  readonly sizeBytes: number;
  /** The file that had the name before. */
  readonly fileId: string | undefined;
  /** When the draft began, by our clock: what is older is not its publication. */
  readonly sinceMs: number;
}

/**
 * The file that a completion made whose answer was lost: the upload is gone, and a new file of this size has the name.
 */
export async function publishedAlready(api: Api, lost: LostPublication): Promise<FileRecord | undefined> {
  const entry = await api.files.find(lost.target, { priority: 'data' });
  if (entry?.kind !== 'file' || entry.id === lost.fileId || entry.sizeBytes !== lost.sizeBytes)
    return undefined;
  return entry.createdMs >= lost.sinceMs - CLOCK_SKEW_MS ? entry : undefined;
}
