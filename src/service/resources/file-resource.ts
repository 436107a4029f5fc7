import type { FileOrigin, FileResource, FileStorage } from '../../contract/file.ts';
import { apiTime } from '../api-time.ts';
import type { RequestView } from '../http/request-view.ts';
import { STORAGE_LOCATION } from '../service-config.ts';
import type { DetailedFile } from '../store/files.ts';

/** A file or folder as the API shows it. */
export function fileResource(file: DetailedFile, view: RequestView): FileResource {
  const { id, name, project_id, parent_id, kind } = file;
  const common = {
    href: view.href(`/files/${id}`),
    id,
    name,
    project: project_id,
    ...(view.advance && parent_id !== null ? { parent: parent_id } : {}),
    type: kind === 'folder' ? 'FOLDER' : 'file',
    created_on: apiTime(file.created_on),
    modified_on: apiTime(file.modified_on),
  };
  if (kind === 'folder') return common;
  const { size, tags, metadata } = file;
  return { ...common, size, storage: storageOf(file), origin: originOf(file), tags, metadata };
}

function storageOf({ volume_id, location }: DetailedFile): FileStorage {
  if (volume_id === null || location === null) {
    return { type: 'PLATFORM', hosted_on_locations: [STORAGE_LOCATION] };
  }
  return { type: 'VOLUME', hosted_on_locations: [], volume: volume_id, location };
}

function originOf({ origin_task, dataset }: DetailedFile): FileOrigin {
  return {
    ...(origin_task === null ? {} : { task: origin_task }),
    ...(dataset === null ? {} : { dataset }),
  };
}
