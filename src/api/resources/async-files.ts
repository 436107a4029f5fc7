import type { AsyncFilesApi, StartedJob } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import { TransportError } from '../errors.ts';
import type { AsyncFileJob } from '../model.ts';
import { parseAsyncJob } from '../parse/job.ts';
import { optionalTextAt, optionalTimeAt, type WireObject } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { AnsweredJobs } from './answered-jobs.ts';
import { unansweredJobs } from './unanswered-jobs.ts';

type Kind = AsyncFileJob['kind'];

/** Asynchronous copies, moves and deletions (undocumented-calls, 1.6). */
export class AsyncFilesClient implements AsyncFilesApi {
  readonly #call: Caller;
  readonly #serverTime: ServerTime;
  readonly #answered: AnsweredJobs;

  constructor(call: Caller, serverTime: ServerTime) {
    this.#call = call;
    this.#serverTime = serverTime;
    this.#answered = new AnsweredJobs(serverTime);
  }

  async start(
    kind: Kind,
    items: Parameters<AsyncFilesApi['start']>[1],
    options?: CallOptions,
  ): Promise<StartedJob> {
    const sinceMs = this.#serverTime.fromNowOn();
    const job = await lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: `POST /async/files/${kind}`,
            body: { json: { items } },
            whenLost: 'once',
            parse: (body): StartedJob => ({ ...parseAsyncJob(body, kind), isGuess: false }),
          },
          timed,
        ),
      (timed) => this.#onlyOneSince(kind, sinceMs, timed),
      this.#call.repetition(options),
    );
    this.#answered.add(job.id);
    return job;
  }

  get(
    kind: Kind,
    id: string,
    options?: CallOptions & { readonly waitSeconds?: number },
  ): Promise<AsyncFileJob> {
    return this.#call(
      {
        route: `GET /async/files/${kind}/{id}`,
        path: { id },
        query: { wait: options?.waitSeconds },
        heldBackMs: (options?.waitSeconds ?? 0) * 1000,
        parse: (body) => parseAsyncJob(body, kind),
      },
      options,
    );
  }

  /** A job does not echo its items, so that of two candidates nothing tells which was meant. */
  async #onlyOneSince(kind: Kind, sinceMs: number, options?: CallOptions): Promise<StartedJob | undefined> {
    const [candidate, ...others] = await unansweredJobs(
      this.#call,
      {
        route: 'GET /async/files',
        sinceMs,
        answered: this.#answered,
        parse: (job) => (isOfKind(job, kind) ? parseAsyncJob(job, kind) : undefined),
      },
      options,
    );
    if (others.length > 0) {
      const reason = `the answer got lost, and ${others.length + 1} jobs began at that time`;
      throw new TransportError(reason, { call: `POST /async/files/${kind}` });
    }
    return candidate && { ...candidate, isGuess: true };
  }
}

/** These jobs have a time from the beginning. */
function isOfKind(job: WireObject, kind: Kind): boolean {
  const isTimed = optionalTimeAt(job, 'started_on') !== undefined;
  return isTimed && optionalTextAt(job, 'type')?.toLowerCase() === kind;
}
