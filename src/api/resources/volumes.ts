import type { VolumesApi } from '../api.ts';
import { ApiError } from '../errors.ts';
import { parsePage } from '../parse/page.ts';
import {
  parseVolume,
  parseVolumeObject,
  parseVolumePage,
  parseVolumeSummary,
  unquoted,
} from '../parse/volume.ts';
import { asObject, optionalNumberAt, optionalTextAt, textAt, UnexpectedShape } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';

/** The volume has no such object. */
const NO_SUCH_OBJECT = 9105;
const MAX_PAGE = 100;

export function volumesApi(call: Caller): VolumesApi {
  return {
    list: ({ offset, limit }, options) =>
      call(
        {
          route: 'GET /storage/volumes',
          query: { offset, limit },
          parse: (_, answer) => parsePage(answer, offset, parseVolumeSummary),
        },
        options,
      ),

    get: (id, options) =>
      call({ route: 'GET /storage/volumes/{id}', path: { id }, parse: parseVolume }, options),

    // Only `_all` brings the objects' metadata, and with it their sizes.
    contents: (volume, { prefix, continuation }, options) =>
      call(
        {
          route: 'GET /storage/volumes/{volume}/list',
          path: { volume },
          query: { prefix, limit: MAX_PAGE, continuation_token: continuation, fields: '_all' },
          parse: parseVolumePage,
        },
        options,
      ),

    object: async (volume, location, options) => {
      try {
        return await call(
          {
            route: 'GET /storage/volumes/{volume}/object',
            path: { volume },
            query: { location, fields: '_all' },
            parse: parseVolumeObject,
          },
          options,
        );
      } catch (error) {
        if (error instanceof ApiError && error.code === NO_SUCH_OBJECT) {
          return undefined;
        }
        throw error;
      }
    },

    downloadInfo: (volume, location, options) =>
      call(
        {
          route: 'GET /storage/volumes/{volume}/object/download_info',
          path: { volume },
          query: { location },
          parse: parseDownloadInfo,
        },
        options,
      ),
  };
}

function parseDownloadInfo(body: unknown): { url: string; sizeBytes: number; etag: string | undefined } {
  const object = asObject(body, 'address');
  const sizeBytes = optionalNumberAt(object, 'size');
  if (sizeBytes === undefined) {
    throw new UnexpectedShape('the answer has no size');
  }
  return { url: textAt(object, 'url'), sizeBytes, etag: unquoted(optionalTextAt(object, 'etag')) };
}
