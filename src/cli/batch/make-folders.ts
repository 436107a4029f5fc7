import type { FolderRef, FolderToMake, Step } from '../../batch/step.ts';
import { isDirectoryPlace } from '../../places/any-place.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import { Report } from './report.ts';
import { type BatchOptions, runCommand } from './run-command.ts';

export interface MakeFoldersOptions extends BatchOptions {
  readonly parents: boolean;
}

const VERB = 'made';

/** Makes folders in projects; with `parents` those above as well, and one that is there is no error. */
export async function makeFolders(
  paths: readonly string[],
  options: MakeFoldersOptions,
  context: Context,
): Promise<void> {
  const report = new Report(VERB, options);
  const chains = paths.map((path) => (options.parents ? chainOf(path) : [path]));
  const { platform, found } = await findArguments([...new Set(chains.flat())], context);
  try {
    const arguments_ = new Map(found.map((argument) => [argument.given, argument]));
    const planned = new Planned(arguments_);
    for (const chain of chains) planned.add(chain, options.parents, report);
    if (platform === undefined) return report.end(undefined, undefined);
    await runCommand({ steps: planned.steps(), verb: VERB, platform, report }, options, context.signal);
  } finally {
    await platform?.close();
  }
}

/** A path and those above it, outermost first; of `project:owner/name/a/b` those from the project down. */
function chainOf(path: string): readonly string[] {
  const parts = path.replace(/(?<=.)\/+$/, '').split('/');
  const first = /^(?:project|volume):/.test(path) ? 2 : 1;
  return parts
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .filter((each, index) => index + 1 >= first && each !== '');
}

/** The folders to be made, each once, by their depth. */
class Planned {
  readonly #arguments: ReadonlyMap<string, Argument>;
  readonly #made = new Map<string, FolderRef>();
  readonly #levels: FolderToMake[][] = [];

  constructor(found: ReadonlyMap<string, Argument>) {
    this.#arguments = found;
  }

  add(chain: readonly string[], parents: boolean, report: Report): void {
    const path = chain.at(-1) ?? '';
    let above: FolderRef | undefined;
    let depth = 0;
    for (const each of chain) {
      const known = this.#made.get(each);
      const argument = this.#arguments.get(each);
      const isLast = each === path;
      if (known !== undefined && !(isLast && !parents)) {
        above = known;
        depth += 1;
        continue;
      }
      if (argument === undefined) return;
      const reason = refusalOf(argument, { isLast, parents, hasAbove: above !== undefined });
      if (reason !== undefined) {
        if (reason !== SILENT) report.fail(path, reason);
        return;
      }
      if (argument.kind === 'free' && argument.free.directory.kind === 'folder') {
        const { directory, folderName, name } = argument.free;
        above = this.#make(each, above ?? { id: directory.id }, folderName ?? name, depth);
        depth += 1;
      } else if (argument.kind === 'missing') {
        above = this.#make(each, above ?? { id: undefined }, each.slice(each.lastIndexOf('/') + 1), depth);
        depth += 1;
      }
    }
  }

  steps(): readonly Step[] {
    return this.#levels.map((items) => ({ kind: 'folders', items }) as const);
  }

  #make(source: string, parent: FolderRef, name: string, depth: number): FolderRef {
    const made: FolderRef = { id: undefined };
    this.#made.set(source, made);
    const level = this.#levels[depth] ?? [];
    this.#levels[depth] = level;
    level.push({ source, to: { parent, name }, made });
    return made;
  }
}

/** It is as it was asked for. */
const SILENT = '';

function refusalOf(
  argument: Argument,
  {
    isLast,
    parents,
    hasAbove,
  }: { readonly isLast: boolean; readonly parents: boolean; readonly hasAbove: boolean },
): string | undefined {
  switch (argument.kind) {
    case 'place':
      if (!isDirectoryPlace(argument.place)) return `${argument.given} is a file`;
      if (!isLast) return undefined;
      return parents ? SILENT : 'it is there already';
    case 'free':
      return argument.free.directory.kind === 'folder'
        ? undefined
        : 'a volume has no folders of its own: the first object below makes one';
    case 'missing':
      if (parents && hasAbove) return undefined;
      return parents && !isLast ? undefined : 'no such folder above it: -p makes those as well';
    case 'failed':
      return isLast ? argument.reason : undefined;
    case 'local':
      return isLast ? 'not in a mount of svcfs, and not project:owner/name/…' : undefined;
  }
}
