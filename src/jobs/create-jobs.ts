import type { Api } from '../api/api.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { inGroups } from '../lib/in-groups.ts';
import { TransferRefused } from './job-error.ts';
import { isFinished, JobTable } from './job-table.ts';
import { listContents } from './list-contents.ts';
import { NOTHING, type Plan, type Planner } from './plan.ts';
import { planCopy } from './plan-copy.ts';
import { planMerge } from './plan-merge.ts';
import { planMove } from './plan-move.ts';
import type { JobRecord, Jobs, TransferOptions, TransferOutcome, TransferRequest } from './ports.ts';
import { runAsync } from './run-async.ts';
import { type AcceptedPlan, runPlan } from './run-plan.ts';
import { createWatches, type Watches } from './watches.ts';
import { WorkTable } from './works.ts';

export function createJobs(dependencies: { readonly api: Api; readonly clock: Clock }): Jobs {
  return new PlatformJobs(dependencies);
}

class PlatformJobs implements Jobs {
  readonly #api: Api;
  readonly works: WorkTable;
  readonly #table: JobTable;
  readonly #watches: Watches;

  constructor({ api, clock }: { readonly api: Api; readonly clock: Clock }) {
    this.#api = api;
    this.works = new WorkTable(clock);
    this.#table = new JobTable(clock, (...told) => this.works.updated(...told));
    this.#watches = createWatches({ api, clock, table: this.#table });
  }

  move(request: TransferRequest, options?: TransferOptions): Promise<TransferOutcome> {
    return this.#transfer(planMove, request, options);
  }

  copy(request: TransferRequest, options?: TransferOptions): Promise<TransferOutcome> {
    return this.#transfer(planCopy, request, options);
  }

  async delete({ ids, path }: Parameters<Jobs['delete']>[0], options?: TransferOptions): Promise<void> {
    const paths = { source: path, target: undefined };
    for (const files of inGroups(ids, BULK_ITEMS_MAX)) {
      await runAsync({ kind: 'delete', files }, { ...this.#running(options), paths });
    }
  }

  async wait(id: string, { signal }: TransferOptions = {}): Promise<JobRecord | undefined> {
    const kind = this.#table.get(id)?.kind;
    if (kind && this.#watches[kind].isWatching(id)) {
      await this.#watches[kind].wait(id, signal);
    }
    return this.#table.get(id);
  }

  list(): readonly JobRecord[] {
    return this.#table.list();
  }

  get(id: string): JobRecord | undefined {
    return this.#table.get(id);
  }

  ofPath(path: string): JobRecord | undefined {
    return this.#table.ofPath(path);
  }

  pending(): number {
    return this.#table.pending();
  }

  close(): void {
    this.works.close();
    for (const watch of Object.values(this.#watches)) {
      watch.close();
    }
  }

  async #transfer(
    planner: Planner,
    request: TransferRequest,
    options: TransferOptions = {},
  ): Promise<TransferOutcome> {
    const { source, paths, merges } = request;
    const { signal } = options;
    if (merges) {
      await this.#outlast(`${paths.target}/`, options);
    }
    // A refusal that needs no listing makes none.
    let plan = accepted(planner(request, NOTHING));
    if (listsContents(request)) {
      plan = accepted(planner(request, await listContents(this.#api, source, { signal })));
    }
    if (merges) {
      plan = accepted(await planMerge(this.#api, plan, request, { signal }));
    }
    return runPlan(plan, { ...this.#running(options), paths });
  }

  /** Jobs of an interrupted move go on: what they are about to make is not another's. */
  async #outlast(below: string, options: TransferOptions): Promise<void> {
    const goOn = this.list().filter(({ state, target }) => !isFinished(state) && target?.startsWith(below));
    await Promise.all(goOn.map(({ id }) => this.wait(id, options)));
  }

  #running({ signal }: TransferOptions = {}) {
    return { api: this.#api, table: this.#table, works: this.works, watches: this.#watches, signal };
  }
}

/** Inside the platform a folder goes as one job; to or from a volume, each of its files does. */
function listsContents({ source, target }: TransferRequest): boolean {
  return source.kind === 'prefix' || (source.kind === 'folder' && target.kind === 'volume');
}

function accepted(plan: Plan): AcceptedPlan {
  if (plan.kind === 'refused') {
    throw new TransferRefused(plan.reason, plan.message);
  }
  return plan;
}
