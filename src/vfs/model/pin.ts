/**
 * Files that a manifest pins. A platform file's bytes are fixed by its id. Those of an alias, or of an object on a volume, can
 * be replaced where they are: the ETag tells.
 */
import type { EntryRecord, FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import { etagOf } from '../../content/content-version.ts';
import type { ObjectState } from '../../content/ports.ts';

export interface PinnedFile {
  /** Where it is shown, from the top of the mount, without a slash before it. */
  readonly path: string;
  /** Of the platform's file; undefined: it is an object of a volume itself. */
  readonly id?: string | undefined;
  /** `owner/name` of the project that it was in. */
  readonly project?: string | undefined;
  readonly name?: string | undefined;
  readonly sizeBytes: number;
  readonly modifiedMs?: number | undefined;
  /** What an alias leads to, or the object itself. */
  readonly object?: PinnedObject | undefined;
  /** Of the bytes, in hexadecimal, by algorithm. */
  readonly checksums?: Readonly<Record<string, string>> | undefined;
}

export interface PinnedObject {
  /** `owner/name` */
  readonly volume: string;
  readonly location: string;
  /** Without quotes; undefined: the store tells none. */
  readonly etag?: string | undefined;
}

/** Of a node: what it is pinned to. */
export interface Pin {
  readonly file: PinnedFile;
  /** Why the platform has it no more as it was pinned, when it was asked last. */
  change: string | undefined;
}

/** The record of a file by what is pinned alone. */
export function recordOfPin(pin: PinnedFile & { readonly id: string }): FileRecord {
  const { object, modifiedMs = 0 } = pin;
  return {
    kind: 'file',
    id: pin.id,
    name: pin.name ?? pin.path.slice(pin.path.lastIndexOf('/') + 1),
    project: pin.project ?? '',
    parent: undefined,
    sizeBytes: pin.sizeBytes,
    createdMs: modifiedMs,
    modifiedMs,
    storage: object
      ? { kind: 'volume', volume: object.volume, location: object.location }
      : { kind: 'platform', locations: [] },
    originTask: undefined,
    originDataset: undefined,
    tags: [],
    metadata: {},
  };
}

export function objectOfPin(pin: PinnedFile, { volume, location, etag }: PinnedObject): VolumeObjectRecord {
  const { sizeBytes, modifiedMs } = pin;
  return { volume, location, sizeBytes, etag, modifiedMs, metadata: {} };
}

/** The facts that are other than they were, for a person; undefined: nothing, as far as the record tells. */
export function changeOfFile(pin: PinnedFile, record: EntryRecord | undefined): string | undefined {
  if (record === undefined) return `file ${pin.id} was deleted or replaced, or may no longer be seen`;
  if (record.kind === 'folder') return `${pin.id} is a folder`;
  const place = placeOf(record);
  const pinned = pin.object ? `${pin.object.volume}/${pin.object.location}` : undefined;
  if (place !== pinned) return `its bytes are ${bytesAt(place)} now, and were ${bytesAt(pinned)}`;
  // The record of an alias may tell an older size than the store.
  const isTold = pin.object?.etag === undefined;
  return isTold ? changeOfSize(pin, record.sizeBytes) : undefined;
}

/** As `changeOfFile`, of the object that a store has. */
export function changeOfObject(pin: PinnedFile, told: ObjectState | undefined): string | undefined {
  const { object } = pin;
  if (object === undefined) return undefined;
  const { volume, location } = object;
  if (told === undefined) return `${volume} has no object ${location} any more, or it may no longer be seen`;
  const etag = etagOf({ kind: 'object', volume, location, ...told });
  if (object.etag !== undefined && etag !== object.etag)
    return `the object ${volume}/${location} has ETag ${etag ?? 'none'}, and had ${object.etag}`;
  return changeOfSize(pin, told.sizeBytes);
}

function changeOfSize(pin: PinnedFile, sizeBytes: number): string | undefined {
  return sizeBytes === pin.sizeBytes ? undefined : `it has ${sizeBytes} bytes, and had ${pin.sizeBytes}`;
}

function placeOf({ storage }: FileRecord): string | undefined {
  return storage.kind === 'volume' ? `${storage.volume}/${storage.location}` : undefined;
}

function bytesAt(place: string | undefined): string {
  return place === undefined ? "in the platform's own store" : `those of ${place}`;
}
