import { VOLUME_PAGE_LIMIT_DEFAULT } from '../../contract/limits.ts';
import {
  VOLUME_OBJECT_LIST_FIELDS,
  VolumeContents,
  VolumeContentsQuery,
  VolumeDownloadInfo,
  VolumeObject,
  VolumeObjectQuery,
} from '../../contract/volume.ts';
import type { App } from '../http/fastify-types.ts';
import { addressOf } from '../http/page-answer.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasDownloadTime, HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore } from '../store/store.ts';
import { findVolumeObject, listVolume } from './volume-contents.ts';
import { volumeObjectAddress } from './volume-object-address.ts';
import { volumeLevel, volumeObject } from './volume-object-resource.ts';
import { VolumePath, volumeIdOf } from './volume-path.ts';
import type { HasVolumeSecrets } from './volume-secrets.ts';

const VOLUME = '/storage/volumes/:owner/:name';

export function volumeContentsRoutes(
  app: App,
  services: HasStore & HasVolumeSecrets & HasBuckets & HasSigner & HasDownloadTime,
): void {
  listRoute(app, services);

  app.get(
    `${VOLUME}/object`,
    { schema: { params: VolumePath, querystring: VolumeObjectQuery, response: { 200: VolumeObject } } },
    async ({ caller, view, params, query }) => {
      const wanted = { id: volumeIdOf(params), location: query.location, permission: 'read' } as const;
      return volumeObject(await findVolumeObject(services, caller, wanted), view);
    },
  );

  app.get(
    `${VOLUME}/object/download_info`,
    { schema: { params: VolumePath, querystring: VolumeObjectQuery, response: { 200: VolumeDownloadInfo } } },
    async ({ caller, view, params, query }) => {
      const wanted = { id: volumeIdOf(params), location: query.location, permission: 'copy' } as const;
      const { volume, location, object } = await findVolumeObject(services, caller, wanted);
      const { url } = await volumeObjectAddress(services, { volume, location });
      return { url: new URL(url, view.origin).href, size: object.sizeBytes, etag: object.etag };
    },
  );
}

/** The one collection without a total: stores do not know it. */
function listRoute(app: App, services: HasStore & HasVolumeSecrets & HasBuckets): void {
  app.get(
    `${VOLUME}/list`,
    {
      schema: { params: VolumePath, querystring: VolumeContentsQuery, response: { 200: VolumeContents } },
      config: { listFields: VOLUME_OBJECT_LIST_FIELDS },
    },
    async (request) => {
      const { prefix = '', limit = VOLUME_PAGE_LIMIT_DEFAULT, continuation_token = '' } = request.query;
      const level = await listVolume(services, request.caller, {
        id: volumeIdOf(request.params),
        prefix,
        limit,
        continuation: continuationOf(continuation_token),
        contentTypes: request.selector.wants('metadata', VOLUME_OBJECT_LIST_FIELDS),
      });
      const next = level.continuation && continuationToken(level.continuation);
      return {
        href: addressOf(request, {}),
        prefix,
        limit,
        continuation_token,
        truncated: next !== undefined,
        ...volumeLevel(level, request.view),
        links: next === undefined ? [] : [{ next: addressOf(request, { limit, continuation_token: next }) }],
      };
    },
  );
}

/** How the API writes the place where a listing goes on. */
function continuationToken(continuation: string): string {
  return Buffer.from(continuation).toString('base64url');
}

/** Undefined for the empty token, which is that of the first page. @throws ServiceError 9011 */
function continuationOf(token: string): string | undefined {
  if (token === '') return undefined;
  const continuation = Buffer.from(token, 'base64url').toString();
  if (continuationToken(continuation) !== token)
    throw new ServiceError(9011, 'The continuation token is not valid.');
  return continuation;
}
