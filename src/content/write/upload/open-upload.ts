import type { Api } from '../../../api/api.ts';
import { ApiError } from '../../../api/errors.ts';

const UPLOAD_GONE = 8003;

/** No such upload: completed, aborted or swept (undocumented-calls, 1.1). */
export function isUploadGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === UPLOAD_GONE;
}

/** The service has the upload, and it is not completed. */
export async function isUploadOpen(
  { api, signal }: { readonly api: Pick<Api, 'uploads'>; readonly signal: AbortSignal },
  uploadId: string,
): Promise<boolean> {
  try {
    await api.uploads.reportedParts(uploadId, { signal, priority: 'data' });
    return true;
  } catch (error) {
    if (isUploadGone(error)) return false;
    throw error;
  }
}
