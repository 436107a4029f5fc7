import type { FileOrigin, FileResource, FileStorage } from '../../contract/file.ts';
import type { RequestView } from '../http/request-view.ts';
import { STORAGE_LOCATION } from '../storage/blobs/blob-store.ts';
import { apiTime } from '../store/stored-time.ts';
import type { FileDetails } from './tables/file-details.ts';
import type { DetailedFile } from './tables/file-table.ts';
import type { ListedFile } from './tables/page-of-files.ts';

/** A file or folder as the API shows it. */
export function fileResource(file: DetailedFile, view: RequestView): FileResource {
  return listedResource(file, file, view);
}

/** Written out, details apart: to copy members from object to object is a third of what a page costs. */
export function listedResource(file: ListedFile, details: FileDetails, view: RequestView): FileResource {
  const resource: FileResource = {
    href: view.href(`/files/${file.id}`),
    id: file.id,
    name: file.name,
    project: file.project_id,
    type: file.kind === 'folder' ? 'FOLDER' : 'file',
    created_on: apiTime(file.created_on),
    modified_on: apiTime(file.modified_on),
  };
  if (view.advance && file.parent_id !== null) resource.parent = file.parent_id;
  if (file.kind === 'folder') return resource;
  resource.size = file.size;
  resource.storage = storageOf(file);
  resource.origin = originOf(file);
  resource.tags = details.tags;
  resource.metadata = details.metadata;
  return resource;
}

function storageOf({ volume_id, location }: ListedFile): FileStorage {
  if (volume_id === null || location === null) {
    return { type: 'PLATFORM', hosted_on_locations: [STORAGE_LOCATION] };
  }
  return { type: 'VOLUME', hosted_on_locations: [], volume: volume_id, location };
}

function originOf({ origin_task, dataset }: ListedFile): FileOrigin {
  const origin: FileOrigin = {};
  if (origin_task !== null) origin.task = origin_task;
  if (dataset !== null) origin.dataset = dataset;
  return origin;
}
