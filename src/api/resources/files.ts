import type { CallOptions, FilesApi } from '../api.ts';
import { ApiError } from '../errors.ts';
import type { EntryRecord } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { ENTRY_FIELDS, parseEntry, parseFile, parseFolder } from '../parse/file.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, pairsOf, textAt, textsOf } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';

export function filesApi(call: Caller, serverTime: ServerTime): FilesApi {
  const get: FilesApi['get'] = (id, options) =>
    call({ route: 'GET /files/{id}', path: { id }, parse: parseEntry }, options);

  const find: FilesApi['find'] = ({ parent, name }, options) =>
    call(
      {
        route: 'GET /files',
        query: { parent, name, fields: ENTRY_FIELDS },
        parse: (_, answer) => parsePage(answer, 0, parseEntry).items.find((each) => each.name === name),
      },
      options,
    );

  const bulkGet: FilesApi['bulkGet'] = (ids, options) =>
    call(
      {
        route: 'POST /bulk/files/get',
        body: { json: { file_ids: ids } },
        parse: (body) => parseBulk(body, parseEntry),
      },
      options,
    );

  return {
    get,
    find,
    bulkGet,

    list: (folder, { offset, limit }, options) =>
      call(
        {
          route: 'GET /files/{folder}/list',
          path: { folder },
          query: { offset, limit, fields: ENTRY_FIELDS },
          parse: (_, answer) => parsePage(answer, offset, parseEntry),
        },
        options,
      ),

    edit: (id, changes, options) =>
      call(
        {
          route: 'PATCH /files/{id}',
          path: { id },
          query: { overwrite: options?.overwrite || undefined },
          body: { json: changes },
          parse: parseFile,
        },
        options,
      ),

    move: (id, to, options) =>
      lookBeforeRepeating(
        () =>
          call(
            {
              route: 'POST /files/{id}/actions/move',
              path: { id },
              query: { overwrite: options?.overwrite || undefined },
              body: { json: to },
              whenLost: 'once',
              parse: parseFile,
            },
            options,
          ),
        async () => {
          const entry = await get(id, options);
          const arrived = entry.kind === 'file' && entry.parent === to.parent && entry.name === to.name;
          return arrived ? entry : undefined;
        },
      ),

    copy: (id, to, options) => {
      const isOurs = createdSince(serverTime);
      return lookBeforeRepeating(
        () =>
          call(
            {
              route: 'POST /files/{id}/actions/copy',
              path: { id },
              body: { json: to },
              whenLost: 'once',
              parse: parseFile,
            },
            options,
          ),
        async () => {
          const entry = await find(to, options);
          return entry?.kind === 'file' && isOurs(entry) ? entry : undefined;
        },
      );
    },

    delete: (id, options) =>
      lookBeforeRepeating(
        () =>
          call(
            { route: 'DELETE /files/{id}', path: { id }, whenLost: 'once', parse: () => true as const },
            options,
          ),
        () => isGone(get(id, options)),
      ).then(() => undefined),

    createFolder: (place, options) => {
      const isOurs = createdSince(serverTime);
      return lookBeforeRepeating(
        () =>
          call(
            {
              route: 'POST /files',
              body: { json: { ...place, type: 'folder' } },
              whenLost: 'once',
              parse: parseFolder,
            },
            options,
          ),
        async () => {
          const entry = await find(place, options);
          return entry?.kind === 'folder' && isOurs(entry) ? entry : undefined;
        },
      );
    },

    patchMetadata: (id, pairs, options) =>
      call(
        {
          route: 'PATCH /files/{id}/metadata',
          path: { id },
          body: { json: pairs },
          parse: pairsOf,
        },
        options,
      ),

    putMetadata: (id, pairs, options) =>
      call(
        { route: 'PUT /files/{id}/metadata', path: { id }, body: { json: pairs }, parse: pairsOf },
        options,
      ),

    putTags: (id, tags, options) =>
      call({ route: 'PUT /files/{id}/tags', path: { id }, body: { json: tags }, parse: textsOf }, options),

    downloadInfo: (id, options) =>
      call(
        {
          route: 'GET /files/{id}/download_info',
          path: { id },
          parse: (body) => ({ url: textAt(asObject(body, 'address'), 'url') }),
        },
        options,
      ),

    bulkDelete: (ids, options) => bulkDelete(call, ids, options),
  };
}

/** Sent again after a lost answer, the entries that went the first time are missing: that is what was asked. */
async function bulkDelete(
  call: Caller,
  ids: readonly string[],
  options?: CallOptions,
): ReturnType<FilesApi['bulkDelete']> {
  let repeated = false;
  const results = await lookBeforeRepeating(
    () =>
      call(
        {
          route: 'POST /bulk/files/delete',
          body: { json: { file_ids: ids } },
          whenLost: 'once',
          parse: (body) => parseBulk(body, () => undefined),
        },
        options,
      ),
    async () => {
      repeated = true;
      return undefined;
    },
  );
  return results.map((each) =>
    repeated && !each.ok && each.failure.status === 404 ? { ok: true, value: undefined } : each,
  );
}

async function isGone(lookup: Promise<unknown>): Promise<true | undefined> {
  try {
    await lookup;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return true;
    }
    throw error;
  }
}

/** Tells an entry made by the call that begins now from one that had the name before. Times are whole seconds. */
function createdSince(serverTime: ServerTime): (entry: EntryRecord) => boolean {
  const sinceMs = Math.floor(serverTime.now() / 1000) * 1000 - 1000;
  return (entry) => (entry.createdMs ?? 0) >= sinceMs;
}
