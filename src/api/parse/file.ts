import type { EntryRecord, FileRecord, FolderRecord, Storage } from '../model.ts';
import {
  asObject,
  objectAt,
  optionalSizeAt,
  optionalTextAt,
  optionalTimeAt,
  pairsOf,
  textAt,
  textsAt,
  textsOf,
  UnexpectedShape,
  type WireObject,
} from './wire.ts';

/** The fields of an entry that `ls -l` and `getfattr` need, for calls that leave them out unless asked. */
export const ENTRY_FIELDS =
  'id,name,project,parent,type,size,created_on,modified_on,storage,origin,tags,metadata';

/** An entry of which an answer does not tell the size, nor that it is a folder: its details do. */
export interface Unsized {
  readonly kind: 'unsized';
  readonly id: string;
  readonly name: string;
}

export type Listed = EntryRecord | Unsized;

/** A File or a Folder; `type` comes in any case. Services that do not know `fields` leave the size out. */
export function parseListed(body: unknown): Listed {
  const object = asObject(body, 'file');
  if (optionalTextAt(object, 'type')?.toLowerCase() === 'folder') return folderOf(object);
  const sizeBytes = optionalSizeAt(object, 'size');
  return sizeBytes === undefined
    ? { kind: 'unsized', id: textAt(object, 'id'), name: textAt(object, 'name') }
    : fileOf(object, sizeBytes);
}

export function parseEntry(body: unknown): EntryRecord {
  const entry = parseListed(body);
  if (entry.kind === 'unsized') {
    throw new UnexpectedShape('the answer has no size');
  }
  return entry;
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

/** All pairs of a file. An answer that is none of them does not say that there are none. */
export function parseMetadata(body: unknown): FileRecord['metadata'] {
  return pairsOf(body === null ? body : asObject(body, 'metadata'));
}

/** All tags of a file, as `parseMetadata`. */
export function parseTags(body: unknown): FileRecord['tags'] {
  if (body !== null && !Array.isArray(body)) throw new UnexpectedShape('the answer has no tags');
  return textsOf(body);
}

/**
 * A text that many records of a listing share, once in memory: 100,000 files are in one project and one folder. The
 * last one seen is enough.
 */
class Shared {
  #last = '';

  of(text: string | undefined): string | undefined {
    if (text !== undefined && text !== this.#last) this.#last = text;
    return text === undefined ? undefined : this.#last;
  }
}

const projects = new Shared();
const parents = new Shared();

function fileOf(object: WireObject, sizeBytes: number): FileRecord {
  const createdMs = optionalTimeAt(object, 'created_on');
  const modifiedMs = optionalTimeAt(object, 'modified_on');
  const origin = objectAt(object, 'origin');
  return {
    kind: 'file',
    id: textAt(object, 'id'),
    name: textAt(object, 'name'),
    project: projects.of(optionalTextAt(object, 'project')) ?? '',
    parent: parents.of(optionalTextAt(object, 'parent')),
    sizeBytes,
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
  return onPlatform(textsAt(object, 'hosted_on_locations'));
}

let lastOnPlatform: Storage & { readonly kind: 'platform' } = { kind: 'platform', locations: [] };

function onPlatform(locations: readonly string[]): Storage {
  const { locations: last } = lastOnPlatform;
  const isSame = locations.length === last.length && locations.every((each, index) => each === last[index]);
  if (!isSame) lastOnPlatform = { kind: 'platform', locations };
  return lastOnPlatform;
}
