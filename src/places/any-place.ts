import type { VolumeObjectRecord } from '../api/model.ts';
import type { FolderPlace, Place } from './places.ts';
import { describePath } from './platform-path.ts';

export interface ObjectPlace {
  readonly kind: 'object';
  /** `owner/name` */
  readonly volume: string;
  readonly location: string;
  /** As a listing told it, where one did. */
  readonly record?: VolumeObjectRecord | undefined;
}

export interface PrefixPlace {
  readonly kind: 'prefix';
  readonly volume: string;
  /** Ends in `/`; empty for the volume itself. */
  readonly prefix: string;
}

/** What the platform keeps: in projects by id, in volumes by key. */
export type AnyPlace = Place | ObjectPlace | PrefixPlace;
/** What has entries. */
export type DirectoryPlace = FolderPlace | PrefixPlace;

/** A name in a directory, under which there is nothing. */
export interface FreePlace {
  readonly kind: 'free';
  readonly directory: DirectoryPlace;
  readonly name: string;
  /** The name that a folder gets there, where that is another one. */
  readonly folderName?: string;
}

export const VOLUME_SCHEME = 'volume:';

export function isDirectoryPlace(place: AnyPlace | FreePlace): place is DirectoryPlace {
  return place.kind === 'folder' || place.kind === 'prefix';
}

/** As commands write it. */
export function describePlace(place: AnyPlace | FreePlace): string {
  switch (place.kind) {
    case 'file':
    case 'folder':
      return describePath(place);
    case 'object':
      return `${VOLUME_SCHEME}${place.volume}/${place.location}`;
    case 'prefix':
      return `${VOLUME_SCHEME}${place.volume}/${place.prefix}`.replace(/\/$/, '');
    case 'free':
      return `${describePlace(place.directory)}/${place.name}`;
  }
}

/** The last name of its path; empty for a project or volume itself. */
export function nameOf(place: AnyPlace): string {
  switch (place.kind) {
    case 'file':
    case 'folder':
      return place.names.at(-1) ?? '';
    case 'object':
      return place.location.split('/').at(-1) ?? '';
    case 'prefix':
      return place.prefix.split('/').at(-2) ?? '';
  }
}
