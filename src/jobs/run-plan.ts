import type { Plan } from './plan.ts';
import type { TransferOutcome } from './ports.ts';
import { runAsyncTransfer } from './run-async.ts';
import type { RunContext } from './run-context.ts';
import { runCopy } from './run-copy.ts';
import { runExports } from './run-exports.ts';
import { runImports } from './run-imports.ts';

export type AcceptedPlan = Exclude<Plan, { kind: 'refused' }>;

/** Makes the calls of a plan, and waits for its jobs. */
export async function runPlan(plan: AcceptedPlan, context: RunContext): Promise<TransferOutcome> {
  const { api, signal } = context;
  switch (plan.kind) {
    case 'unchanged':
      return { kind: 'unchanged' };
    case 'rename': {
      const { overwrite } = plan;
      return {
        kind: 'entry',
        entry: await api.files.edit(plan.file, { name: plan.name }, { signal, overwrite }),
      };
    }
    case 'move': {
      const { overwrite } = plan;
      return { kind: 'entry', entry: await api.files.move(plan.file, plan.to, { signal, overwrite }) };
    }
    case 'copy':
      return { kind: 'entry', entry: await runCopy(plan, context) };
    case 'async': {
      const work = { kind: plan.operation, files: [plan.file], to: plan.to };
      return { kind: 'entry', entry: await runAsyncTransfer(work, context) };
    }
    case 'exports':
      return runExports(plan, context);
    case 'imports':
      return runImports(plan, context);
  }
}
