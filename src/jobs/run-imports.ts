import type { ImportRequest } from '../api/api.ts';
import type { Place } from '../api/call-options.ts';
import { ApiError } from '../api/errors.ts';
import type { FileRecord, FolderRecord } from '../api/model.ts';
import { isAliasOf } from './is-alias-of.ts';
import type { Plan } from './plan.ts';
import type { TransferOutcome } from './ports.ts';
import { pathsBelow, type RunContext } from './run-context.ts';
import { runAsWork, type TransferRun } from './run-transfers.ts';

/** The target's folder has a file of that name. */
const FILE_NAME_TAKEN = 9108;

export async function runImports(
  plan: Extract<Plan, { kind: 'imports' }>,
  context: RunContext,
): Promise<TransferOutcome> {
  const { parent } = plan;
  const { api, table, watches, paths, signal } = context;
  const folders = await makeFolders(plan.folders, parent, context);
  const findFile = async ({ parent: folder, name }: ImportRequest): Promise<FileRecord | undefined> => {
    const entry = await api.files.find({ parent: folder, name }, { signal });
    return entry?.kind === 'file' ? entry : undefined;
  };
  const transfers = plan.imports.map(({ folder, path, ...request }) => ({
    request: { ...request, parent: folders.get(folder)?.id ?? parent },
    path,
    paths: pathsBelow(paths, path),
  }));
  const run: TransferRun<(typeof transfers)[number]['request']> = {
    kind: 'import',
    table,
    watch: watches.import,
    signal,
    start: (requests) => api.transfers.startImports(requests),
    resultOf: findFile,
    // Imported before, by a move or copy that was interrupted.
    alreadyDone: async (request, failure) => {
      const file = failure.code === FILE_NAME_TAKEN ? await findFile(request) : undefined;
      return file && isAliasOf(file, request) ? file : undefined;
    },
  };
  const files = await runAsWork(transfers, run, context);
  return {
    kind: 'imported',
    files: files.filter((file) => file !== undefined),
    folders: [...folders.values()],
  };
}

/** Makes folders, outer before inner, and answers them by their path; one that is there already is used. */
async function makeFolders(
  paths: readonly string[],
  parent: string,
  context: RunContext,
): Promise<ReadonlyMap<string, FolderRecord>> {
  const made = new Map<string, FolderRecord>();
  for (const path of paths) {
    const slash = path.lastIndexOf('/');
    const outer = made.get(path.slice(0, Math.max(0, slash)));
    made.set(path, await makeFolder({ parent: outer?.id ?? parent, name: path.slice(slash + 1) }, context));
  }
  return made;
}

async function makeFolder(place: Place, { api, signal }: RunContext): Promise<FolderRecord> {
  try {
    return await api.files.createFolder(place, { signal });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) {
      throw error;
    }
    const existing = await api.files.find(place, { signal });
    if (existing?.kind !== 'folder') {
      throw error;
    }
    return existing;
  }
}
