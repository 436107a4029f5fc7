/**
 * Whether what the platform tells of a name is the node we have under it. If not, it is another node, so that the
 * kernel never mixes the pages of two versions.
 */
import type { FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { Listed } from './listed.ts';
import type { Node } from './node.ts';

export function isSameNode(node: Node, listed: Listed): boolean {
  switch (listed.kind) {
    case 'entry':
      return listed.record.kind === 'folder'
        ? node.kind === 'project-folder'
        : node.kind === 'project-file' && node.link === listed.link && isSameFile(node.record, listed.record);
    case 'object':
      return (
        node.kind === 'volume-object' &&
        (node.draft !== undefined || isSameObject(node.record, listed.record))
      );
    case 'prefix':
      return node.kind === 'volume-directory' && node.prefix === listed.prefix;
    case 'virtual':
      return true;
    default:
      return listed satisfies never;
  }
}

/** A platform file's bytes are fixed by its id; an alias keeps its id when its object is written anew. */
export function isSameFile(known: FileRecord | undefined, told: FileRecord): boolean {
  if (known?.id !== told.id) return false;
  return told.storage.kind === 'platform' || known.sizeBytes === told.sizeBytes;
}

/** Version of an object: by ETag where the store gives one, else by size and time as far as they are known. */
export function isSameObject(known: VolumeObjectRecord | undefined, told: VolumeObjectRecord): boolean {
  if (!known) return false;
  if (known.etag !== undefined && told.etag !== undefined) return known.etag === told.etag;
  const same = <T>(a: T | undefined, b: T | undefined): boolean =>
    a === undefined || b === undefined || a === b;
  return same(known.sizeBytes, told.sizeBytes) && same(known.modifiedMs, told.modifiedMs);
}

/**
 * Another file took the name while ours is being written, or while a pipe or socket of ours has it, which stays. Ours stays what this mount shows, with the record it was
 * begun from and as old as that is: its writer finds at publication that it replaces another's.
 */
export function isReplacedUnderDraft(node: Node, listed: Listed): boolean {
  if (node.kind === 'special-file') return true;
  if (node.kind !== 'project-file' || !node.draft) return false;
  return listed.kind !== 'entry' || listed.record.id !== node.record?.id || listed.link !== node.link;
}

/** Whether the node exists in this mount alone: no answer of the platform can tell that it is gone. */
export function isLocalOnly(node: Node): boolean {
  switch (node.kind) {
    case 'project-file':
    case 'volume-object':
      return node.record === undefined || node.draft !== undefined;
    case 'volume-directory':
      return node.local;
    case 'special-file':
      return true;
    default:
      return false;
  }
}

/** A job of ours moves the folder: what the platform tells of its name is of before or after that. */
export function isMoving(node: Node): boolean {
  return node.kind === 'project-folder' && node.moving !== undefined;
}

/** Whether no answer of the platform can tell that the node is gone. */
export function isKept(node: Node): boolean {
  return isLocalOnly(node) || isMoving(node);
}

/** Some stores list objects without their size: then the object itself has to be asked for. */
export function lacksSize(node: Node): boolean {
  return (
    node.kind === 'volume-object' &&
    !node.draft &&
    node.record !== undefined &&
    (node.record.sizeBytes === undefined || node.sizeIsOld)
  );
}
