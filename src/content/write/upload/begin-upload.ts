import type { UploadTicket } from '../../../api/model.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { ContentError, type UploadTarget } from '../../ports.ts';
import { outgrows, partSizeFor } from '../parts/part-plan.ts';
import { MultipartUpload, type UploadContext } from './multipart-upload.ts';

export interface NewUpload {
  readonly target: UploadTarget;
  /** Larger when a file of `expectedBytes` would be too many parts of it. */
  readonly preferredPartSizeBytes: number;
  readonly expectedBytes: number;
  /** The file gets so many, and the service is told; undefined: it is still being written. */
  readonly sizeBytes: number | undefined;
}

/** Begins a multipart upload at the service. Rejects as `api.uploads.initialise` does, and with the reason of the signal. */
export async function beginUpload(
  { target, preferredPartSizeBytes, expectedBytes, sizeBytes }: NewUpload,
  context: UploadContext,
): Promise<MultipartUpload> {
  // Some stores take parts of one size only.
  const { api } = context;
  const grows = api.isKnownToOffer('variable_part_size') && !api.buckets.isFolder(target.parent);
  const partSizeBytes = partSizeFor(expectedBytes, { partSizeBytes: preferredPartSizeBytes, grows });
  const exact = sizeBytes === undefined ? {} : { sizeBytes };
  const ticket = await initialise({ ...target, ...exact, partSizeBytes }, context);
  if (outgrows(sizeBytes ?? expectedBytes, { partSizeBytes: ticket.partSizeBytes, grows })) {
    context.aborts.abort(ticket.uploadId);
    const reason = `the service asks for parts of ${ticket.partSizeBytes} bytes, and an upload has 10,000 at most`;
    throw new ContentError('failed', `${target.name}: ${reason}`);
  }
  return new MultipartUpload({ ticket, grows, sizeBytes, parts: [] }, context);
}

/** Heard to its end, though the draft's may come first: an upload that nobody knows of cannot be given up. */
async function initialise(
  upload: UploadTarget & { readonly partSizeBytes: number },
  { api, aborts, signal }: Pick<UploadContext, 'api' | 'aborts' | 'signal'>,
): Promise<UploadTicket> {
  signal.throwIfAborted();
  const initialised = api.uploads.initialise(upload, { priority: 'data' });
  try {
    return await untilAborted(initialised, signal);
  } catch (error) {
    if (signal.aborted)
      initialised.then(
        ({ uploadId }) => aborts.abort(uploadId),
        () => {},
      );
    throw error;
  }
}
