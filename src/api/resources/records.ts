import type { CollectionKind, PlatformRecord, RecordKind, RecordsApi } from '../api.ts';
import { parsePage } from '../parse/page.ts';
import { asObject } from '../parse/wire.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';

type Route = CallSpec<unknown>['route'];

const ONE: Readonly<Record<RecordKind, Route>> = {
  app: 'GET /apps/{id}',
  breakdown: 'GET /billing/groups/{id}/breakdown',
  file: 'GET /files/{id}',
  project: 'GET /projects/{id}',
  volume: 'GET /storage/volumes/{id}',
};

const MANY: Readonly<Record<CollectionKind, Route>> = {
  apps: 'GET /apps',
  'billing groups': 'GET /billing/groups',
  invoices: 'GET /billing/invoices',
  members: 'GET /projects/{id}/members',
};

/** Answers as the service wrote them. */
export function recordsApi(call: Caller): RecordsApi {
  const asWritten = { exact: true, asWritten: true } as const;
  return {
    get: (kind, id, options) =>
      call({ route: ONE[kind], path: { id }, ...asWritten, parse: recordOf }, options),

    list: (kind, { of = '', ...query }, { offset, limit }, options) =>
      call(
        {
          route: MANY[kind],
          path: { id: of },
          query: { ...query, offset, limit },
          ...asWritten,
          parse: (_, answer) => parsePage(answer, offset, recordOf),
        },
        options,
      ),
  };
}

function recordOf(body: unknown): PlatformRecord {
  return asObject(body, 'record');
}
