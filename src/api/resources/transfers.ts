import type { CallOptions, ExportRequest, ImportRequest, TransfersApi } from '../api.ts';
import type { BulkResult, TransferJob } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parseTransferJob } from '../parse/job.ts';
import { isObject, type WireObject } from '../parse/wire.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { recentTransfers } from './recent-transfers.ts';

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

/** What a job is asked with, and by which it is known again. */
interface Item {
  readonly source: WireObject;
  readonly destination: WireObject;
  readonly overwrite: boolean;
}

export function transfersApi(call: Caller, serverTime: ServerTime): TransfersApi {
  const start = async (
    kind: Kind,
    items: readonly Item[],
    options: CallOptions | undefined,
    query: CallSpec<unknown>['query'] = {},
  ): Promise<readonly BulkResult<TransferJob>[]> => {
    const sinceMs = serverTime.now() - 2000;
    const results = new Map<Item, BulkResult<TransferJob>>();
    const missing = (): readonly Item[] => items.filter((item) => !results.has(item));

    const send = async (): Promise<void> => {
      const asked = missing();
      const answers = await call(
        {
          route: BULK[kind].create,
          query,
          body: { json: { items: asked } },
          whenLost: 'once',
          parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
        },
        options,
      );
      asked.forEach((item, index) => {
        const answer = answers[index];
        if (answer) {
          results.set(item, answer);
        }
      });
    };
    const adopt = async (): Promise<true | undefined> => {
      for (const recent of await recentTransfers(call, { kind, sinceMs }, options)) {
        const item = missing().find((each) => isSameJob(each, recent));
        if (item) {
          results.set(item, { ok: true, value: parseTransferJob(recent, kind) });
        }
      }
      return missing().length === 0 || undefined;
    };

    await lookBeforeRepeating(() => send().then(() => true as const), adopt);
    return items.map((item) => results.get(item) ?? NOT_ANSWERED);
  };

  return {
    startImports: (requests, options) => start('import', requests.map(importItem), options),

    startExports: (requests, copyOnly, options) =>
      start('export', requests.map(exportItem), options, { copy_only: copyOnly || undefined }),

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

/** A bulk answer shorter than what was asked. */
const NOT_ANSWERED: BulkResult<TransferJob> = {
  ok: false,
  failure: { status: 500, code: 0, message: 'the service did not say what became of this item' },
};

function importItem({ volume, location, parent, name, overwrite }: ImportRequest): Item {
  return { source: { volume, location }, destination: { parent, name }, overwrite };
}

function exportItem({ file, volume, location, overwrite }: ExportRequest): Item {
  return { source: { file }, destination: { volume, location }, overwrite };
}

/** Jobs echo what they were asked with, sometimes with more keys. */
function isSameJob(item: Item, job: WireObject): boolean {
  return includes(job['source'], item.source) && includes(job['destination'], item.destination);
}

function includes(object: unknown, part: WireObject): boolean {
  return isObject(object) && Object.entries(part).every(([key, value]) => object[key] === value);
}
