import type { CallOptions, ExportRequest, ImportRequest, TransfersApi } from '../api.ts';
import type { BulkResult, TransferJob } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parseTransferJob } from '../parse/job.ts';
import type { Caller } from '../transport/caller.ts';

type Kind = TransferJob['kind'];

const BULK = {
  import: {
    create: 'POST /bulk/storage/imports/create',
    get: 'POST /bulk/storage/imports/get',
    ids: 'import_ids',
  },
  export: {
    create: 'POST /bulk/storage/exports/create',
    get: 'POST /bulk/storage/exports/get',
    ids: 'export_ids',
  },
} as const;

export function transfersApi(call: Caller): TransfersApi {
  const start = (
    kind: Kind,
    items: readonly object[],
    options: CallOptions | undefined,
    query: Record<string, boolean | undefined> = {},
  ): Promise<readonly BulkResult<TransferJob>[]> =>
    call(
      {
        route: BULK[kind].create,
        query,
        body: { json: { items } },
        whenLost: 'once',
        parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
      },
      options,
    );

  return {
    startImports: (requests, options) => start('import', requests.map(importBody), options),

    startExports: (requests, copyOnly, options) =>
      start('export', requests.map(exportBody), options, { copy_only: copyOnly || undefined }),

    get: (kind, ids, options) =>
      call(
        {
          route: BULK[kind].get,
          query: { wait: options?.waitSeconds },
          body: { json: { [BULK[kind].ids]: ids } },
          heldBackMs: (options?.waitSeconds ?? 0) * 1000,
          parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
        },
        options,
      ),
  };
}

function importBody({ volume, location, parent, name, overwrite }: ImportRequest): object {
  return { source: { volume, location }, destination: { parent, name }, overwrite };
}

function exportBody({ file, volume, location, overwrite }: ExportRequest): object {
  return { source: { file }, destination: { volume, location }, overwrite };
}
