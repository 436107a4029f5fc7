import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { CallOptions, ListOptions, PageRequest, VolumesApi } from '../api.ts';
import { ApiError } from '../errors.ts';
import { unquoted } from '../etag.ts';
import type { Page, VolumeObjectRecord, VolumePage, VolumeRecord, VolumeSummary } from '../model.ts';
import { parsePage } from '../parse/page.ts';
import { parseVolume, parseVolumeObject, parseVolumePage, parseVolumeSummary } from '../parse/volume.ts';
import { asObject, optionalTextAt, requiredSizeAt, urlAt } from '../parse/wire.ts';
import type { Answer } from '../transport/call.ts';
import type { Caller } from '../transport/caller.ts';

type DownloadInfo = Awaited<ReturnType<VolumesApi['downloadInfo']>>;

/** The volume has no such object, or there can be none at that location. */
const NO_SUCH_OBJECT: ReadonlySet<number> = new Set([9105, 9011, 9072]);

/** The volumes calls (undocumented-calls, 1.7). */
export class VolumesClient implements VolumesApi {
  readonly #call: Caller;

  constructor(call: Caller) {
    this.#call = call;
  }

  list({ offset, limit }: PageRequest, options?: CallOptions): Promise<Page<VolumeSummary>> {
    return this.#call(
      {
        route: 'GET /storage/volumes',
        query: { offset, limit },
        parse: (_, answer) => parsePage(answer, offset, parseVolumeSummary),
      },
      options,
    );
  }

  get(id: string, options?: CallOptions): Promise<VolumeRecord> {
    return this.#call({ route: 'GET /storage/volumes/{id}', path: { id }, parse: parseVolume }, options);
  }

  /** Only `_all` brings the objects' metadata, and with it their sizes. */
  contents(
    volume: string,
    { prefix, continuation }: Parameters<VolumesApi['contents']>[1],
    options?: ListOptions,
  ): Promise<VolumePage> {
    return this.#call(
      {
        route: 'GET /storage/volumes/{volume}/list',
        path: { volume },
        query: { prefix, limit: PAGE_LIMIT_MAX, continuation_token: continuation, fields: '_all' },
        parse: (body) => parseVolumePage(body, options?.onUnusable),
      },
      options,
    );
  }

  async object(
    volume: string,
    location: string,
    options?: CallOptions,
  ): Promise<VolumeObjectRecord | undefined> {
    try {
      const record = await this.#call(
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
      if (error instanceof ApiError && NO_SUCH_OBJECT.has(error.code)) {
        return undefined;
      }
      throw error;
    }
  }

  downloadInfo(volume: string, location: string, options?: CallOptions): Promise<DownloadInfo> {
    return this.#call(
      {
        route: 'GET /storage/volumes/{volume}/object/download_info',
        path: { volume },
        query: { location },
        parse: parseDownloadInfo,
      },
      options,
    );
  }
}

function parseDownloadInfo(body: unknown, answer: Answer): DownloadInfo {
  const object = asObject(body, 'address');
  return {
    url: urlAt(object, 'url', answer),
    sizeBytes: requiredSizeAt(object, 'size'),
    etag: unquoted(optionalTextAt(object, 'etag')),
  };
}
