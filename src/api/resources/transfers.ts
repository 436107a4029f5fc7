import type { ExportRequest, ImportRequest, TransfersApi } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import type { BulkResult, TransferJob } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parseTransferJob } from '../parse/job.ts';
import type { Caller } from '../transport/caller.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { AnsweredJobs } from './answered-jobs.ts';
import { BulkStart, type BulkStartSpec } from './bulk-start.ts';

type Kind = TransferJob['kind'];

const GET = {
  import: { route: 'POST /bulk/storage/imports/get', ids: 'import_ids' },
  export: { route: 'POST /bulk/storage/exports/get', ids: 'export_ids' },
} as const;

/** Imports and exports, by their bulk calls (undocumented-calls, 1.5 and 1.8). */
export class TransfersClient implements TransfersApi {
  readonly #call: Caller;
  readonly #serverTime: ServerTime;
  readonly #answered: AnsweredJobs;

  constructor(call: Caller, serverTime: ServerTime) {
    this.#call = call;
    this.#serverTime = serverTime;
    this.#answered = new AnsweredJobs(serverTime);
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
    return this.#start({ kind: 'import', items }, options);
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
    return this.#start({ kind: 'export', items, query }, options);
  }

  get(
    kind: Kind,
    ids: readonly string[],
    options?: CallOptions & { readonly waitSeconds?: number },
  ): Promise<readonly BulkResult<TransferJob>[]> {
    return this.#call(
      {
        route: GET[kind].route,
        onlyLooks: true,
        query: { wait: options?.waitSeconds },
        body: { json: { [GET[kind].ids]: ids } },
        heldBackMs: (options?.waitSeconds ?? 0) * 1000,
        parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
      },
      options,
    );
  }

  #start(spec: BulkStartSpec, options?: CallOptions): Promise<readonly BulkResult<TransferJob>[]> {
    const parts = { call: this.#call, serverTime: this.#serverTime, answered: this.#answered };
    return new BulkStart(parts, spec).run(options);
  }
}
