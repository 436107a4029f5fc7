import type { EntryRecord, FileRecord, FolderRecord, Storage } from '../model.ts';
import {
  asObject,
  objectAt,
  optionalNumberAt,
  optionalTextAt,
  optionalTimeAt,
  pairsOf,
  textAt,
  textsAt,
  UnexpectedShape,
  type WireObject,
} from './wire.ts';

/** What `ls -l` and `getfattr` need of an entry, for calls that leave it out unless asked. */
export const ENTRY_FIELDS =
  'id,name,project,parent,type,size,created_on,modified_on,storage,origin,tags,metadata';

/** A File or a Folder; `type` comes in any case. */
export function parseEntry(body: unknown): EntryRecord {
  const object = asObject(body, 'file');
  return optionalTextAt(object, 'type')?.toLowerCase() === 'folder' ? folderOf(object) : fileOf(object);
}

export function parseFile(body: unknown): FileRecord {
  const entry = parseEntry(body);
  if (entry.kind !== 'file') {
    throw new UnexpectedShape('the answer is a folder, not a file');
  }
  return entry;
}

export function parseFolder(body: unknown): FolderRecord {
  const entry = parseEntry(body);
  if (entry.kind !== 'folder') {
    throw new UnexpectedShape('the answer is a file, not a folder');
  }
  return entry;
}

function fileOf(object: WireObject): FileRecord {
  const createdMs = optionalTimeAt(object, 'created_on');
  const modifiedMs = optionalTimeAt(object, 'modified_on');
  const origin = objectAt(object, 'origin');
  return {
    kind: 'file',
    id: textAt(object, 'id'),
    name: textAt(object, 'name'),
    project: optionalTextAt(object, 'project') ?? '',
    parent: optionalTextAt(object, 'parent'),
    sizeBytes: optionalNumberAt(object, 'size') ?? 0,
    createdMs: createdMs ?? modifiedMs ?? 0,
    modifiedMs: modifiedMs ?? createdMs ?? 0,
    storage: storageOf(objectAt(object, 'storage')),
    originTask: optionalTextAt(origin, 'task'),
    originDataset: optionalTextAt(origin, 'dataset'),
    tags: textsAt(object, 'tags'),
    metadata: pairsOf(object['metadata']),
  };
}

function folderOf(object: WireObject): FolderRecord {
  return {
    kind: 'folder',
    id: textAt(object, 'id'),
    name: textAt(object, 'name'),
    project: optionalTextAt(object, 'project') ?? '',
    parent: optionalTextAt(object, 'parent'),
    createdMs: optionalTimeAt(object, 'created_on'),
    modifiedMs: optionalTimeAt(object, 'modified_on'),
  };
}

function storageOf(object: WireObject): Storage {
  const volume = optionalTextAt(object, 'volume');
  if (optionalTextAt(object, 'type')?.toLowerCase() === 'volume' && volume !== undefined) {
    return { kind: 'volume', volume, location: textAt(object, 'location') };
  }
  return { kind: 'platform', locations: textsAt(object, 'hosted_on_locations') };
}
