import type { Api } from '../api/api.ts';
import type { Clock } from '../lib/clock.ts';
import { createWatches } from './job-kinds.ts';
import { JobTable } from './job-table.ts';
import { listContents } from './list-contents.ts';
import { NOTHING, type Plan, type Planner } from './plan.ts';
import { planCopy } from './plan-copy.ts';
import { planMove } from './plan-move.ts';
import type { Jobs, TransferOptions, TransferOutcome, TransferRequest } from './ports.ts';
import { runAsync, runAsyncTransfer } from './run-async.ts';
import type { RunContext } from './run-context.ts';
import { runCopy } from './run-copy.ts';
import { runExports } from './run-exports.ts';
import { runImports } from './run-imports.ts';
import { TransferRefused } from './transfer-refused.ts';

export function createJobs({ api, clock }: { readonly api: Api; readonly clock: Clock }): Jobs {
  const table = new JobTable(clock);
  const watches = createWatches({ api, clock, table });

  const transfer = async (
    planner: Planner,
    request: TransferRequest,
    { signal }: TransferOptions = {},
  ): Promise<TransferOutcome> => {
    const context: RunContext = { api, table, watches, paths: request.paths, signal };
    // What needs no listing to be refused costs none.
    accepted(planner(request, NOTHING));
    const contents = listsContents(request) ? await listContents(api, request.source, { signal }) : NOTHING;
    return runPlan(accepted(planner(request, contents)), request, context);
  };

  return {
    list: () => table.list(),
    get: (id) => table.get(id),
    ofPath: (path) => table.ofPath(path),
    pending: () => table.pending(),
    move: (request, options) => transfer(planMove, request, options),
    copy: (request, options) => transfer(planCopy, request, options),

    deleteTree: async ({ id, path }, { signal } = {}) => {
      const paths = { source: path, target: undefined };
      await runAsync({ kind: 'delete', file: id }, { api, table, watches, signal, paths });
    },

    wait: async (id, { signal } = {}) => {
      const kind = table.get(id)?.kind;
      if (kind && watches[kind].isWatching(id)) {
        await watches[kind].wait(id, signal);
      }
      return table.get(id);
    },

    close: () => {
      for (const watch of Object.values(watches)) {
        watch.close();
      }
    },
  };
}

/** Inside the platform a folder goes as one job; to or from a volume, each of its files does. */
function listsContents({ source, target }: TransferRequest): boolean {
  return source.kind === 'prefix' || (source.kind === 'folder' && target.kind === 'volume');
}

function accepted(plan: Plan): Exclude<Plan, { kind: 'refused' }> {
  if (plan.kind === 'refused') {
    throw new TransferRefused(plan.reason, plan.message);
  }
  return plan;
}

async function runPlan(
  plan: Exclude<Plan, { kind: 'refused' }>,
  { target }: TransferRequest,
  context: RunContext,
): Promise<TransferOutcome> {
  const { api, signal } = context;
  switch (plan.kind) {
    case 'unchanged':
      return { kind: 'unchanged' };
    case 'rename': {
      const entry = await api.files.edit(
        plan.file,
        { name: plan.name },
        { signal, overwrite: plan.overwrite },
      );
      return { kind: 'entry', entry };
    }
    case 'move': {
      const entry = await api.files.move(plan.file, plan.to, { signal, overwrite: plan.overwrite });
      return { kind: 'entry', entry };
    }
    case 'copy':
      return { kind: 'entry', entry: await runCopy(plan, context) };
    case 'async': {
      const work = { kind: plan.operation, file: plan.file, to: plan.to };
      return { kind: 'entry', entry: await runAsyncTransfer(work, context) };
    }
    case 'exports':
      return runExports(plan, context);
    case 'imports':
      return runImports(plan, target.kind === 'project' ? target.parent : '', context);
  }
}
