import type { ListOptions } from '../call-options.ts';
import { unquoted } from '../etag.ts';
import type { VolumeObjectRecord, VolumePage, VolumeRecord, VolumeSummary } from '../model.ts';
import { itemsOf, parseItems } from './page.ts';
import { splitId } from './project.ts';
import {
  arrayAt,
  asObject,
  isObject,
  objectAt,
  optionalSizeAt,
  optionalTextAt,
  optionalTimeAt,
  textAt,
  type WireObject,
} from './wire.ts';

export function parseVolumeSummary(body: unknown): VolumeSummary {
  const id = textAt(asObject(body, 'volume'), 'id');
  const [owner, name] = splitId(id);
  return { id, owner, name };
}

export function parseVolume(body: unknown): VolumeRecord {
  const object = asObject(body, 'volume');
  const service = objectAt(object, 'service');
  return {
    ...parseVolumeSummary(body),
    description: optionalTextAt(object, 'description') ?? '',
    accessMode: optionalTextAt(object, 'access_mode')?.toUpperCase() === 'RO' ? 'RO' : 'RW',
    active: object['active'] !== false,
    serviceType: optionalTextAt(service, 'type')?.toLowerCase() ?? '',
    bucket: optionalTextAt(service, 'bucket') ?? '',
    prefix: optionalTextAt(service, 'prefix') ?? '',
    endpoint: optionalTextAt(service, 'endpoint'),
    accessKeyId: optionalTextAt(objectAt(service, 'credentials'), 'access_key_id'),
    properties: propertiesOf(objectAt(service, 'properties')),
    createdMs: optionalTimeAt(object, 'created_on'),
    modifiedMs: optionalTimeAt(object, 'modified_on'),
  };
}

function propertiesOf(properties: WireObject): VolumeRecord['properties'] & object {
  return {
    encryption: optionalTextAt(properties, 'sse_algorithm'),
    encryptionKey: optionalTextAt(properties, 'sse_cloud_kms_key_id'),
    acl: optionalTextAt(properties, 'cloud_canned_acl'),
    storageClass: optionalTextAt(properties, 'cloud_storage_class'),
  };
}

/** Stores name the size `size`, and the time of the last change `updated`; each kind has its own other keys. */
export function parseVolumeObject(body: unknown): VolumeObjectRecord {
  const object = asObject(body, 'volume object');
  const metadata = objectAt(object, 'metadata');
  return {
    volume: textAt(object, 'volume'),
    location: textAt(object, 'location'),
    sizeBytes: optionalSizeAt(metadata, 'size'),
    etag: unquoted(optionalTextAt(metadata, 'etag')),
    modifiedMs:
      optionalTimeAt(metadata, 'updated') ??
      optionalTimeAt(metadata, 'lastModified') ??
      optionalTimeAt(metadata, 'timeCreated'),
    metadata,
  };
}

export function parseVolumePage(body: unknown, onUnusable?: ListOptions['onUnusable']): VolumePage {
  const object = asObject(body, 'volume listing');
  return {
    objects: parseItems(itemsOf(object), parseVolumeObject, onUnusable),
    prefixes: parseItems(arrayAt(object, 'prefixes'), parsePrefix, onUnusable),
    continuation: continuationOf(object['links']),
  };
}

function parsePrefix(body: unknown): string {
  return textAt(asObject(body, 'prefix'), 'prefix');
}

/** The next page's token is only in the `next` link; `links` is `[{"next":…}]`, or that object alone. */
function continuationOf(links: unknown): string | undefined {
  const candidates = (Array.isArray(links) ? links : [links]).filter(isObject);
  const next = candidates.map(nextHref).find((href) => href !== undefined);
  if (next === undefined) {
    return undefined;
  }
  return new URL(next, 'http://relative').searchParams.get('continuation_token') ?? undefined;
}

function nextHref(link: WireObject): string | undefined {
  return optionalTextAt(link, 'next') ?? (link['rel'] === 'next' ? optionalTextAt(link, 'href') : undefined);
}
