import type { Api, ExportRequest } from '../api/api.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { FileRecord } from '../api/model.ts';
import { isAliasOf } from './is-alias-of.ts';
import { listContents } from './list-contents.ts';
import { type Plan, refused } from './plan.ts';
import type { TransferRequest } from './ports.ts';

/**
 * The rest of a folder's plan when a folder is there already. An entry that is there as the plan would make it is done,
 * by a move that was interrupted. Another file or object in the place of one refuses the whole plan.
 */
export async function planMerge(
  api: Pick<Api, 'files' | 'volumes'>,
  plan: Plan,
  { source, target }: Pick<TransferRequest, 'source' | 'target'>,
  options: CallOptions,
): Promise<Plan> {
  if (plan.kind === 'exports' && target.kind === 'volume') {
    const prefix = { kind: 'prefix', volume: target.volume, prefix: `${target.location}/` } as const;
    const taken = new Set((await listContents(api, prefix, options)).locations);
    for (const each of plan.exports) {
      if (taken.has(each.location) && !(await isAliasNow(api, each, options))) {
        return refusalOf(each.path);
      }
    }
    return plan;
  }
  if (plan.kind === 'imports' && target.kind === 'project') {
    const present = await filesAt(api, target, options);
    const imports = plan.imports.filter((each) => {
      const file = present.get(each.path);
      return !file || !isAliasOf(file, each);
    });
    const inTheWay = imports.find(({ path }) => present.has(path));
    return inTheWay ? refusalOf(inTheWay.path) : { ...plan, imports };
  }
  throw new Error(`a ${source.kind} does not merge into a ${target.kind}`);
}

/** A move that goes on elsewhere may have exported it since the files were listed. */
async function isAliasNow(
  api: Pick<Api, 'files'>,
  request: ExportRequest,
  options: CallOptions,
): Promise<boolean> {
  const file = await api.files.get(request.file, options);
  return file.kind === 'file' && isAliasOf(file, request);
}

/** By their paths in the folder of that name. */
async function filesAt(
  api: Pick<Api, 'files' | 'volumes'>,
  { parent, name, permissions }: Extract<TransferRequest['target'], { kind: 'project' }>,
  options: CallOptions,
): Promise<ReadonlyMap<string, FileRecord>> {
  const folder = await api.files.find({ parent, name }, options);
  if (folder?.kind !== 'folder') {
    return new Map();
  }
  const { files } = await listContents(api, { kind: 'folder', folder, permissions }, options);
  return new Map(files.map(({ path, file }) => [path, file]));
}

function refusalOf(path: string): Plan {
  return refused('target-not-empty', `${path}: the folder that is there has another of that name`);
}
