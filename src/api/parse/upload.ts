import { PART_SIZE_MAX, PART_SIZE_MIN } from '../../contract/limits.ts';
import type { PartReport, SignedUrl, UploadTicket } from '../model.ts';
import {
  arrayAt,
  asObject,
  objectAt,
  optionalTextAt,
  optionalTimeAt,
  pairsOf,
  requiredNumberAt,
  requiredSizeAt,
  textAt,
  UnexpectedShape,
  urlAt,
} from './wire.ts';

export function parseUploadTicket(body: unknown): UploadTicket {
  const object = asObject(body, 'upload');
  const partSizeBytes = requiredSizeAt(object, 'part_size');
  // A file would be of endlessly many, or each larger than the memory.
  if (partSizeBytes < PART_SIZE_MIN || partSizeBytes > PART_SIZE_MAX) {
    throw new UnexpectedShape(`the answer has parts of ${partSizeBytes} bytes, not of 5 MiB to 5 GiB`);
  }
  return {
    uploadId: textAt(object, 'upload_id'),
    partSizeBytes,
    parallel: object['parallel_uploads'] !== false,
  };
}

export function parseReportedParts(body: unknown): readonly PartReport[] {
  return arrayAt(asObject(body, 'upload'), 'parts').map((each) => {
    const part = asObject(each, 'part');
    const headers = objectAt(objectAt(part, 'response'), 'headers');
    const etag = Object.entries(headers).find(([name]) => name.toLowerCase() === 'etag')?.[1];
    return {
      partNumber: requiredNumberAt(part, 'part_number'),
      etag: typeof etag === 'string' ? etag.replaceAll('"', '') : '',
    };
  });
}

/** The body of one part's report. */
export function partReportBody(part: PartReport): object {
  return { part_number: part.partNumber, response: { headers: { ETag: part.etag } } };
}

export function parseSignedUrl(body: unknown, answer: { readonly overTls?: boolean }): SignedUrl {
  const object = asObject(body, 'address');
  return {
    url: urlAt(object, 'url', answer),
    method: optionalTextAt(object, 'method') ?? 'PUT',
    headers: pairsOf(object['headers']),
    expiresMs: optionalTimeAt(object, 'expires'),
  };
}
