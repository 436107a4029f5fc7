import type { AsyncFilesApi } from '../api.ts';
import { parseAsyncJob } from '../parse/job.ts';
import type { Caller } from '../transport/caller.ts';

export function asyncFilesApi(call: Caller): AsyncFilesApi {
  return {
    start: (kind, items, options) =>
      call(
        {
          route: `POST /async/files/${kind}`,
          body: { json: { items } },
          whenLost: 'once',
          parse: (body) => parseAsyncJob(body, kind),
        },
        options,
      ),

    get: (kind, id, options) =>
      call(
        {
          route: `GET /async/files/${kind}/{id}`,
          path: { id },
          query: { wait: options?.waitSeconds },
          heldBackMs: (options?.waitSeconds ?? 0) * 1000,
          parse: (body) => parseAsyncJob(body, kind),
        },
        options,
      ),
  };
}
