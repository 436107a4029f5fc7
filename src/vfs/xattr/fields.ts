/** `user.svc.*` of every kind of node: what the platform keeps beside metadata. Undefined ones are not shown. */
import type { FileRecord, ProjectRecord, VolumeRecord } from '../../api/model.ts';
import type {
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from '../model/node.ts';
import { folderIdOf } from '../model/node.ts';

export type Fields = Readonly<Record<string, string | undefined>>;

/** Needs the details of the project or volume to be there for their own directories. */
export function fieldsOf(node: Node): Fields {
  switch (node.kind) {
    case 'project-file':
      return fileFields(node);
    case 'project-folder':
      return node.record ? folderFields(node) : projectFields(node.project.record);
    case 'volume-directory':
      return node.prefix === '' ? volumeFields(node.volume.record) : levelFields(node);
    case 'volume-object':
      return objectFields(node);
    case 'special-file':
    case 'virtual-directory':
      return {};
    default:
      return node satisfies never;
  }
}

function fileFields({ record, project, parent }: ProjectFileNode): Fields {
  return {
    project: project.id,
    parent: record?.parent ?? (parent?.kind === 'project-folder' ? folderIdOf(parent) : undefined),
    ...(record && publishedFields(record)),
    permissions: json(project.record?.permissions),
  };
}

function publishedFields(record: FileRecord): Fields {
  const { storage } = record;
  return {
    id: record.id,
    name: record.name,
    storage:
      storage.kind === 'platform'
        ? json({ type: 'PLATFORM', hosted_on_locations: storage.locations })
        : json({ type: 'VOLUME', volume: storage.volume, location: storage.location }),
    alias: storage.kind === 'volume' ? `${storage.volume}/${storage.location}` : undefined,
    'origin.task': record.originTask,
    'origin.dataset': record.originDataset,
    created_on: time(record.createdMs),
    modified_on: time(record.modifiedMs),
  };
}

function folderFields({ record, project }: ProjectFolderNode): Fields {
  return {
    id: record?.id,
    name: record?.name,
    project: project.id,
    parent: record?.parent,
    created_on: time(record?.createdMs),
    modified_on: time(record?.modifiedMs),
    permissions: json(project.record?.permissions),
  };
}

function projectFields(project: ProjectRecord | undefined): Fields {
  if (!project) return {};
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    tags: json(project.tags),
    settings: json(project.settings),
    permissions: json(project.permissions),
    billing_group: project.billingGroup,
    created_by: project.createdBy,
    created_on: time(project.createdMs),
    modified_on: time(project.modifiedMs),
    root_folder: project.rootFolder,
  };
}

function volumeFields(volume: VolumeRecord | undefined): Fields {
  if (!volume) return {};
  return {
    id: volume.id,
    name: volume.name,
    description: volume.description,
    access_mode: volume.accessMode,
    active: String(volume.active),
    type: volume.serviceType,
    bucket: volume.bucket,
    prefix: volume.prefix,
    endpoint: volume.endpoint,
    created_on: time(volume.createdMs),
    modified_on: time(volume.modifiedMs),
  };
}

function levelFields({ volume, prefix }: VolumeDirectoryNode): Fields {
  return { volume: volume.id, location: prefix };
}

function objectFields({ volume, location, record }: VolumeObjectNode): Fields {
  return {
    volume: volume.id,
    location,
    etag: record?.etag,
    modified_on: time(record?.modifiedMs),
    metadata: record && json(record.metadata),
  };
}

function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function time(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
