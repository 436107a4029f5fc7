import type { PartReport, UploadResource, UploadStarted } from '../../contract/upload.ts';
import type { RequestView } from '../http/request-view.ts';
import { apiTime } from '../store/stored-time.ts';
import type { UploadPartRow, UploadRow } from './upload-table.ts';

export function uploadStarted(upload: UploadRow, view: RequestView): UploadStarted {
  const { id, project_id, parent_id, name, size, part_size } = upload;
  return {
    upload_id: id,
    project: project_id,
    ...(view.advance ? { parent: parent_id } : {}),
    name,
    ...(size === null ? {} : { size }),
    part_size,
    parallel_uploads: true,
  };
}

/** @param parts Left out of the answer when not given. */
export function uploadResource(
  upload: UploadRow,
  view: RequestView,
  reported: { readonly count: number; readonly parts?: readonly UploadPartRow[] },
): UploadResource {
  return {
    href: view.href(`/upload/multipart/${upload.id}`),
    ...uploadStarted(upload, view),
    initiated: apiTime(upload.initiated),
    uploaded_parts_count: reported.count,
    ...(reported.parts === undefined ? {} : { parts: reported.parts.map(partReport) }),
  };
}

export function partReport({ part_number, etag }: Pick<UploadPartRow, 'part_number' | 'etag'>): PartReport {
  return { part_number, response: { headers: { ETag: etag } } };
}
