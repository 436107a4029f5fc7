import type { AsyncFilesApi, CallOptions } from '../api.ts';
import { TransportError } from '../errors.ts';
import type { AsyncFileJob } from '../model.ts';
import { parseAsyncJob } from '../parse/job.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, optionalTextAt, optionalTimeAt } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';

export function asyncFilesApi(call: Caller, serverTime: ServerTime): AsyncFilesApi {
  /** Jobs whose start was answered, and which a lost one can therefore not be. */
  const answered = new Set<string>();

  const startedSince = (kind: AsyncFileJob['kind'], sinceMs: number, options?: CallOptions) =>
    call(
      {
        route: 'GET /async/files',
        query: { limit: 100, fields: '_all' },
        parse: (_, answer) =>
          parsePage(answer, 0, (item) => asObject(item, 'job'))
            .items.filter((job) => optionalTextAt(job, 'type')?.toLowerCase() === kind)
            .filter((job) => (optionalTimeAt(job, 'started_on') ?? 0) >= sinceMs)
            .map((job) => parseAsyncJob(job, kind))
            .filter((job) => !answered.has(job.id)),
      },
      options,
    );

  return {
    start: async (kind, items, options) => {
      const sinceMs = serverTime.now() - 2000;
      const job = await lookBeforeRepeating(
        () =>
          call(
            {
              route: `POST /async/files/${kind}`,
              body: { json: { items } },
              whenLost: 'once',
              parse: (body) => parseAsyncJob(body, kind),
            },
            options,
          ),
        async () => {
          const [candidate, ...others] = await startedSince(kind, sinceMs, options);
          if (others.length > 0) {
            // A job does not echo its items, so that nothing tells which of them was ours.
            const reason = `the answer got lost, and ${others.length + 1} jobs began at that time`;
            throw new TransportError(reason, { call: `POST /async/files/${kind}` });
          }
          return candidate;
        },
      );
      answered.add(job.id);
      return job;
    },

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
