import type { CallOptions, ExportRequest, ImportRequest, TransfersApi } from '../api.ts';
import type { BulkResult, TransferJob } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parseTransferJob } from '../parse/job.ts';
import type { Caller } from '../transport/caller.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { BulkStart } from './bulk-start.ts';

type Kind = TransferJob['kind'];

const GET = {
  import: { route: 'POST /bulk/storage/imports/get', ids: 'import_ids' },
  export: { route: 'POST /bulk/storage/exports/get', ids: 'export_ids' },
} as const;

/** Imports and exports, by their bulk calls (undocumented-calls, 1.5 and 1.8). */
export class TransfersClient implements TransfersApi {
  readonly #call: Caller;
  readonly #serverTime: ServerTime;

  constructor(call: Caller, serverTime: ServerTime) {
    this.#call = call;
    this.#serverTime = serverTime;
  }

  startImports(
    requests: readonly ImportRequest[],
    options?: CallOptions,
  ): Promise<readonly BulkResult<TransferJob>[]> {
    const items = requests.map(({ volume, location, parent, name, overwrite }) => ({
      source: { volume, location },
      destination: { parent, name },
      overwrite,
    }));
    return new BulkStart(this.#call, this.#serverTime, { kind: 'import', items }).run(options);
  }

  startExports(
    requests: readonly ExportRequest[],
    copyOnly: boolean,
    options?: CallOptions,
  ): Promise<readonly BulkResult<TransferJob>[]> {
    const items = requests.map(({ file, volume, location, overwrite }) => ({
      source: { file },
      destination: { volume, location },
      overwrite,
    }));
    const query = { copy_only: copyOnly || undefined };
    return new BulkStart(this.#call, this.#serverTime, { kind: 'export', items, query }).run(options);
  }

  get(
    kind: Kind,
    ids: readonly string[],
    options?: CallOptions & { readonly waitSeconds?: number },
  ): Promise<readonly BulkResult<TransferJob>[]> {
    return this.#call(
      {
        route: GET[kind].route,
        query: { wait: options?.waitSeconds },
        body: { json: { [GET[kind].ids]: ids } },
        heldBackMs: (options?.waitSeconds ?? 0) * 1000,
        parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
      },
      options,
    );
  }
}
