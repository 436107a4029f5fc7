import type { FileRecord } from '../api/model.ts';
import { isAliasOf } from './is-alias-of.ts';
import type { ExportPlan, Plan } from './plan.ts';
import type { TransferOutcome } from './ports.ts';
import { pathsBelow, type RunContext } from './run-context.ts';
import { runAsWork, type TransferRun } from './run-transfers.ts';

/** Aliases and others that are no more exportable are refused with it. */
const NOT_EXPORTABLE = 9006;
/** There is an object, and it is not to be replaced. */
const LOCATION_TAKEN = 9107;

export async function runExports(
  plan: Extract<Plan, { kind: 'exports' }>,
  context: RunContext,
): Promise<TransferOutcome> {
  const { api, table, watches, paths, signal } = context;
  const current = async ({ file }: ExportPlan): Promise<FileRecord | undefined> => {
    const entry = await api.files.get(file, { signal });
    return entry.kind === 'file' ? entry : undefined;
  };
  const transfers = plan.exports.map((request) => ({
    request,
    path: request.path,
    paths: pathsBelow(paths, request.path),
  }));
  const run: TransferRun<ExportPlan> = {
    kind: 'export',
    table,
    watch: watches.export,
    signal,
    start: (requests) => api.transfers.startExports(requests, plan.copyOnly),
    resultOf: plan.copyOnly ? async () => undefined : current,
    // Exported before, by a move that was interrupted: the caller's record of the file is older than that.
    alreadyDone: async (request, failure) => {
      const mayBeThere = failure.code === NOT_EXPORTABLE || failure.code === LOCATION_TAKEN;
      const file = mayBeThere ? await current(request) : undefined;
      return file && isAliasOf(file, request) ? file : undefined;
    },
  };
  const files = await runAsWork(transfers, run, context);
  const locations = [
    ...plan.exports.map(({ location }) => location),
    ...plan.done.flatMap(({ storage }) => (storage.kind === 'volume' ? [storage.location] : [])),
  ];
  const aliases = plan.copyOnly ? [] : [...files.filter((file) => file !== undefined), ...plan.done];
  return { kind: 'exported', locations, aliases };
}
