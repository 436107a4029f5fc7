import { partCount, partSizeFor } from '../write/parts/part-plan.ts';
import { INLINE_BYTES } from '../write/upload/inline-upload.ts';

const MIB = 1024 * 1024;
const SMALLEST_BYTES = 16 * MIB;
/** A part is in memory while it is sent, and goes again when its connection breaks. */
const LARGEST_BYTES = 64 * MIB;
const PARTS_WANTED = 100;
/** Parts are reported in batches of so many, as long as more are to come (multipart-upload.ts). */
const REPORTED_AT_ONCE = 32;

/** The part size for a file whose size is known: each part is a request, so that few parts bring more through the rate limit. */
export function partSizeToAskFor(sizeBytes: number): number {
  const wanted = Math.ceil(sizeBytes / PARTS_WANTED / SMALLEST_BYTES) * SMALLEST_BYTES;
  return Math.min(LARGEST_BYTES, Math.max(SMALLEST_BYTES, wanted));
}

/** The requests by which a file of so many bytes goes up, with the attributes that it gets. */
export function requestsToUpload(
  sizeBytes: number,
  { inline, annotated }: { readonly inline: boolean; readonly annotated: boolean },
): number {
  if (inline && sizeBytes <= INLINE_BYTES) return 1;
  const layout = { partSizeBytes: partSizeToAskFor(sizeBytes), grows: false };
  const partSizeBytes = partSizeFor(sizeBytes, layout);
  const parts = partCount(sizeBytes, { partSizeBytes, grows: false });
  const reports = Math.max(0, Math.floor(parts / REPORTED_AT_ONCE) - 1);
  // It is begun, each part has a link, and it is completed.
  return 2 + parts + reports + (annotated ? 1 : 0);
}
