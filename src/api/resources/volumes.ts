import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { VolumesApi } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import { ApiError } from '../errors.ts';
import { unquoted } from '../etag.ts';
import type { VolumeRecord } from '../model.ts';
import { parsePage } from '../parse/page.ts';
import { parseVolume, parseVolumeObject, parseVolumePage, parseVolumeSummary } from '../parse/volume.ts';
import { asObject, optionalTextAt, requiredSizeAt, urlAt } from '../parse/wire.ts';
import type { Answer } from '../transport/call.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { isGone } from './is-gone.ts';
import { membersApi } from './members.ts';

type DownloadInfo = Awaited<ReturnType<VolumesApi['downloadInfo']>>;

/** The volume has no such object, or there can be none at that location. */
const NO_SUCH_OBJECT: ReadonlySet<number> = new Set([9105, 9011, 9072]);

/** The calls on volumes and their objects (undocumented-calls, 1.7). */
export function volumesApi(call: Caller, serverTime: ServerTime): VolumesApi {
  const get: VolumesApi['get'] = (id, options) =>
    call({ route: 'GET /storage/volumes/{id}', path: { id }, parse: parseVolume }, options);

  const list: VolumesApi['list'] = ({ offset, limit }, options) =>
    call(
      {
        route: 'GET /storage/volumes',
        query: { offset, limit },
        parse: (_, answer) => parsePage(answer, offset, parseVolumeSummary),
      },
      options,
    );

  /** The volume of a call whose answer was lost. Others share volumes of that name, which were there before. */
  const newOne = async (
    name: string,
    sinceMs: number,
    options: CallOptions,
  ): Promise<VolumeRecord | undefined> => {
    const { items } = await list({ offset: 0, limit: PAGE_LIMIT_MAX }, options);
    for (const { id } of items.filter((each) => each.name === name)) {
      const volume = await get(id, options);
      if ((volume.createdMs ?? 0) >= sinceMs) return volume;
    }
    return undefined;
  };

  return {
    ...membersApi(call, '/storage/volumes'),
    ...contentsApi(call),

    list,
    get,

    create: (volume, options) => {
      const sinceMs = serverTime.fromNowOn();
      return lookBeforeRepeating(
        (timed) =>
          call(
            {
              route: 'POST /storage/volumes',
              body: { json: volume },
              whenLost: 'once',
              parse: parseVolume,
            },
            timed,
          ),
        (timed) => newOne(volume.name, sinceMs, timed),
        call.repetition(options),
      );
    },

    edit: (id, { force, ...changes }, options) =>
      call(
        {
          route: 'PATCH /storage/volumes/{id}',
          path: { id },
          query: { force },
          body: { json: changes },
          parse: parseVolume,
        },
        options,
      ),

    delete: async (id, options) => {
      await lookBeforeRepeating(
        (timed) =>
          call(
            {
              route: 'DELETE /storage/volumes/{id}',
              path: { id },
              whenLost: 'once',
              parse: () => true as const,
            },
            timed,
          ),
        (timed) => isGone(get(id, timed)),
        call.repetition(options),
      );
    },
  };
}

function contentsApi(call: Caller): Pick<VolumesApi, 'contents' | 'object' | 'downloadInfo'> {
  return {
    // Only `_all` brings the objects' metadata, and with it their sizes.
    contents: (volume, { prefix, continuation }, options) =>
      call(
        {
          route: 'GET /storage/volumes/{volume}/list',
          path: { volume },
          query: { prefix, limit: PAGE_LIMIT_MAX, continuation_token: continuation, fields: '_all' },
          parse: (body) => parseVolumePage(body, options?.onUnusable),
        },
        options,
      ),

    object: async (volume, location, options) => {
      try {
        const record = await call(
          {
            route: 'GET /storage/volumes/{volume}/object',
            path: { volume },
            query: { location, fields: '_all' },
            parse: parseVolumeObject,
          },
          options,
        );
        // A service may take another key for this one.
        return record.location === location ? record : undefined;
      } catch (error) {
        if (error instanceof ApiError && NO_SUCH_OBJECT.has(error.code)) return undefined;
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

function parseDownloadInfo(body: unknown, answer: Answer): DownloadInfo {
  const object = asObject(body, 'address');
  return {
    url: urlAt(object, 'url', answer),
    sizeBytes: requiredSizeAt(object, 'size'),
    etag: unquoted(optionalTextAt(object, 'etag')),
  };
}
