import type { UploadProgress } from '../../ports.ts';
import type { DraftUpload } from '../upload/draft-upload.ts';

interface Uploading {
  readonly label: string;
  readonly sizeBytes: number;
  readonly publishing: boolean;
  /** What the last publication failed with. */
  readonly failure: unknown;
}

/** How far the upload of a draft is; undefined while there is nothing to tell. */
export function progressOf(
  upload: DraftUpload,
  { label, sizeBytes, publishing, failure }: Uploading,
): UploadProgress | undefined {
  const { state, partsInFlight } = upload;
  const error = failure ?? upload.error;
  if (state === undefined && !publishing && error === undefined) return undefined;
  return {
    label,
    uploadId: state?.ticket.uploadId,
    sizeBytes,
    sentBytes: state?.parts.reduce((sum, part) => sum + part.sizeBytes, 0) ?? 0,
    partsInFlight,
    state: publishing ? 'publishing' : error === undefined ? 'writing' : 'failed',
    error: error instanceof Error ? error.message : undefined,
  };
}
