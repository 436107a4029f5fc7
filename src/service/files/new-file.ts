import type { FileRow } from './tables/file-table.ts';

type Given = 'id' | 'project_id' | 'parent_id' | 'name' | 'created_by' | 'created_on';

/** The record of a new file, with what is given; the rest says an empty file of the platform. */
export function newFile(fields: Pick<FileRow, Given> & Partial<FileRow>): FileRow {
  return {
    kind: 'file',
    size: 0,
    modified_on: fields.created_on,
    blob_key: null,
    volume_id: null,
    location: null,
    etag: null,
    md5: null,
    origin_task: null,
    dataset: null,
    is_public: 0,
    is_archived: 0,
    ...fields,
  };
}
