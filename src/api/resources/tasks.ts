import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { CallOptions, ListOptions, PageRequest } from '../call-options.ts';
import type { NewTask, TaskSearch, TasksApi } from '../compute.ts';
import { TransportError } from '../errors.ts';
import type { BulkResult, ExecutedTool, Page, TaskRecord } from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import { parsePage } from '../parse/page.ts';
import { parseTask, parseTools } from '../parse/task.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { AnsweredJobs } from './answered-jobs.ts';

/** The tasks calls (undocumented-calls, 1.11). */
export class TasksClient implements TasksApi {
  readonly #call: Caller;
  readonly #serverTime: ServerTime;
  readonly #answered: AnsweredJobs;

  constructor(call: Caller, serverTime: ServerTime) {
    this.#call = call;
    this.#serverTime = serverTime;
    this.#answered = new AnsweredJobs(serverTime);
  }

  list(
    { project, status, createdFromMs }: TaskSearch,
    { offset, limit }: PageRequest,
    options?: ListOptions,
  ): Promise<Page<TaskRecord>> {
    const created_from = createdFromMs === undefined ? undefined : new Date(createdFromMs).toISOString();
    return this.#call(
      {
        route: 'GET /tasks',
        query: {
          project,
          status,
          created_from,
          order_by: 'created_time',
          order: 'desc',
          offset,
          limit,
          fields: '_all',
        },
        exact: true,
        parse: (_, answer) => parsePage(answer, offset, parseTask, options?.onUnusable),
      },
      options,
    );
  }

  get(id: string, options?: CallOptions): Promise<TaskRecord> {
    return this.#call({ route: 'GET /tasks/{id}', path: { id }, exact: true, parse: parseTask }, options);
  }

  bulkGet(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<TaskRecord>[]> {
    return this.#call(
      {
        route: 'POST /bulk/tasks/get',
        onlyLooks: true,
        body: { json: { task_ids: ids } },
        exact: true,
        parse: (body) => parseBulk(body, parseTask),
      },
      options,
    );
  }

  async create(task: NewTask, options?: CallOptions): Promise<TaskRecord> {
    const sinceMs = this.#serverTime.fromNowOn();
    const created = await lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: 'POST /tasks',
            // Of an app with batch settings of its own it is one task, too.
            query: { batch: false },
            body: { json: task },
            exact: true,
            whenLost: 'once',
            parse: parseTask,
          },
          timed,
        ),
      (timed) => this.#onlyDraftLike(task, sinceMs, timed),
      this.#call.repetition(options),
    );
    this.#answered.add(created.id);
    return created;
  }

  run(id: string, options?: CallOptions): Promise<TaskRecord> {
    return this.#act(id, 'run', ({ status }) => status !== 'DRAFT', options);
  }

  abort(id: string, options?: CallOptions): Promise<TaskRecord> {
    return this.#act(id, 'abort', ({ status }) => status === 'ABORTING' || status === 'ABORTED', options);
  }

  executedTools(id: string, options?: CallOptions): Promise<readonly ExecutedTool[]> {
    return this.#call(
      { route: 'GET /tasks/{id}/execution_details', path: { id }, parse: parseTools },
      options,
    );
  }

  #act(
    id: string,
    action: 'run' | 'abort',
    isDone: (task: TaskRecord) => boolean,
    options?: CallOptions,
  ): Promise<TaskRecord> {
    return lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: `POST /tasks/{id}/actions/${action}`,
            path: { id },
            exact: true,
            whenLost: 'once',
            parse: parseTask,
          },
          timed,
        ),
      async (timed) => {
        const task = await this.get(id, timed);
        return isDone(task) ? task : undefined;
      },
      this.#call.repetition(options),
    );
  }

  /** The platform has no key for a call that is repeated: name, app and inputs tell the draft. */
  async #onlyDraftLike(
    { project, app, name, inputs }: NewTask,
    sinceMs: number,
    options?: CallOptions,
  ): Promise<TaskRecord | undefined> {
    const page = { offset: 0, limit: PAGE_LIMIT_MAX };
    const { items } = await this.list({ project, status: 'DRAFT', createdFromMs: sinceMs }, page, options);
    const [candidate, ...others] = items.filter(
      (task) =>
        !this.#answered.has(task.id) &&
        task.name === name &&
        (task.app === app || task.app.startsWith(`${app}/`)) &&
        includes(task.inputs, inputs),
    );
    if (others.length > 0) {
      const reason = `the answer got lost, and ${others.length + 1} drafts like it were made at that time`;
      throw new TransportError(reason, { call: 'POST /tasks' });
    }
    return candidate;
  }
}

/** The platform adds names to files, and inputs that are unset. */
function includes(held: unknown, given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return (held ?? null) === (given ?? null);
  if (typeof held !== 'object' || held === null || Array.isArray(held) !== Array.isArray(given)) return false;
  if (Array.isArray(given) && given.length !== (held as readonly unknown[]).length) return false;
  const values = held as Readonly<Record<string, unknown>>;
  return Object.entries(given).every(([key, value]) => includes(values[key], value));
}
