import type { CallOptions } from '../call-options.ts';
import type { BulkResult, TransferJob } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parseTransferJob } from '../parse/job.ts';
import { isObject, type WireObject } from '../parse/wire.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import type { AnsweredJobs } from './answered-jobs.ts';
import { unansweredJobs } from './unanswered-jobs.ts';

/** The fields that a job is asked with, and by which it is known again. */
interface Item {
  readonly source: WireObject;
  readonly destination: WireObject;
  readonly overwrite: boolean;
}

export interface BulkStartSpec {
  readonly kind: TransferJob['kind'];
  readonly items: readonly Item[];
  readonly query?: CallSpec<unknown>['query'];
}

interface BulkStartParts {
  readonly call: Caller;
  readonly serverTime: ServerTime;
  /** Of all bulk starts. A job does not tell whether it is a `copy_only`: this tells `cp` and `mv` of one file apart. */
  readonly answered: AnsweredJobs;
}

/**
 * One bulk start of imports or exports. Each item becomes a job once. When an answer is lost, the client looks for jobs
 * that began meanwhile with the fields of an item, and sends only the other items again.
 */
export class BulkStart {
  readonly #call: Caller;
  readonly #spec: BulkStartSpec;
  readonly #sinceMs: number;
  readonly #answered: AnsweredJobs;
  readonly #results = new Map<Item, BulkResult<TransferJob>>();

  constructor({ call, serverTime, answered }: BulkStartParts, spec: BulkStartSpec) {
    this.#call = call;
    this.#spec = spec;
    this.#answered = answered;
    this.#sinceMs = serverTime.fromNowOn();
  }

  async run(options?: CallOptions): Promise<readonly BulkResult<TransferJob>[]> {
    await lookBeforeRepeating(
      (timed) => this.#send(timed),
      (timed) => this.#adopt(timed),
      this.#call.repetition(options),
    );
    return this.#spec.items.map((item) => this.#results.get(item) ?? NOT_ANSWERED);
  }

  async #send(options?: CallOptions): Promise<true> {
    const { kind, query } = this.#spec;
    const items = this.#missing();
    const answers = await this.#call(
      {
        route: `POST /bulk/storage/${kind}s/create`,
        ...(query && { query }),
        body: { json: { items } },
        whenLost: 'once',
        parse: (body) => parseBulk(body, (resource) => parseTransferJob(resource, kind)),
      },
      options,
    );
    items.forEach((item, index) => {
      this.#take(item, answers[index] ?? NOT_ANSWERED);
    });
    return true;
  }

  /** True when every item has its job. */
  async #adopt(options?: CallOptions): Promise<true | undefined> {
    const { kind } = this.#spec;
    const jobs = await unansweredJobs(
      this.#call,
      {
        route: `GET /storage/${kind}s`,
        sinceMs: this.#sinceMs,
        answered: this.#answered,
        parse: (job) => job,
      },
      options,
    );
    for (const job of jobs) {
      const item = this.#missing().find((each) => isSameJob(each, job));
      if (item) this.#take(item, { ok: true, value: parseTransferJob(job, kind) });
    }
    return this.#missing().length === 0 || undefined;
  }

  #take(item: Item, result: BulkResult<TransferJob>): void {
    this.#results.set(item, result);
    if (result.ok) this.#answered.add(result.value.id);
  }

  #missing(): readonly Item[] {
    return this.#spec.items.filter((item) => !this.#results.has(item));
  }
}

/** A bulk answer shorter than what was asked. */
const NOT_ANSWERED: BulkResult<TransferJob> = {
  ok: false,
  failure: { status: 500, code: 0, message: 'the service did not say what became of this item' },
};

/** Jobs echo what they were asked with, sometimes with more keys. */
function isSameJob(item: Item, job: WireObject): boolean {
  const { source, destination, overwrite = item.overwrite } = job;
  return (
    includes(source, item.source) && includes(destination, item.destination) && overwrite === item.overwrite
  );
}

function includes(object: unknown, part: WireObject): boolean {
  return isObject(object) && Object.entries(part).every(([key, value]) => object[key] === value);
}
