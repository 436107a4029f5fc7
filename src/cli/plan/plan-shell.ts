/** Tells what the shell's own cp, mv or rm would cost on a mount. Nothing is done. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { describeDuration, estimatePacedMs } from '../../batch/estimate.ts';
import {
  costOfCopy,
  costOfMove,
  costOfRemoval,
  type End,
  type ShellCost,
  type ShellOptions,
  ShellRefusal,
  sumOf,
} from '../../batch/shell/shell-cost.ts';
import { localTree, NO_TREE, treeAt } from '../../batch/shell/tree.ts';
import { partCount } from '../../content/write/parts/part-plan.ts';
import { INLINE_BYTES } from '../../content/write/upload/inline-upload.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { isDirectoryPlace } from '../../places/any-place.ts';
import { isPlatformPath } from '../../places/platform-path.ts';
import { isVolumePath } from '../../places/volume-path.ts';
import { requests } from '../batch/report.ts';
import { CliError } from '../exit-codes.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { type ShellArguments, type ShellCommand, shellArguments } from './shell-arguments.ts';

/** A mount asks again about a name before it changes that, when it has not seen it for a second. */
const BELIEVED_MS = 1000;
const PART_BYTES = 16 * 1024 * 1024;

export async function planShell(
  command: ShellCommand,
  given: readonly string[],
  json: boolean,
  context: Context,
): Promise<void> {
  const args = shellArguments(command, given);
  const paths = [...args.sources, ...(args.target === undefined ? [] : [args.target])];
  for (const path of paths)
    if (isPlatformPath(path) || isVolumePath(path))
      throw new CliError(
        'usage',
        `${path}: ${command}(1) takes a path in a mount; svcfs ${command} --dry-run takes this`,
      );
  const { platform, found } = await findArguments(paths, context);
  if (platform === undefined) throw new CliError('usage', `${paths.join(', ')}: not in a mount of svcfs`);
  try {
    const planner = new Planner(platform, args, await optionsOf(args, platform), context);
    const costs: ShellCost[] = [];
    const targets = await planner.targets(found);
    for (const [index, source] of args.sources.entries()) {
      try {
        const end = await planner.endOf(found[index], source);
        costs.push(await planner.costOf(command, end, targets[index]));
      } catch (error) {
        if (!(error instanceof ShellRefusal)) throw error;
        console.error(`svcfs: ${source}: ${command}(1) would fail: ${error.message}`);
        process.exitCode = 1;
      }
    }
    await say(sumOf(costs), platform, { names: paths.length, json });
  } catch (error) {
    throw platform.explain(error) ?? error;
  } finally {
    await platform.close();
  }
}

async function optionsOf(args: ShellArguments, { api }: Platform): Promise<ShellOptions> {
  const capabilities = await api.capabilities();
  const layout = { partSizeBytes: PART_BYTES, grows: capabilities.has('variable_part_size') };
  return {
    ...args,
    requestsToWrite: (bytes, annotated) => {
      if (bytes <= INLINE_BYTES && capabilities.has('upload_inline')) return 1;
      return 2 + partCount(bytes, layout) + (annotated ? 1 : 0);
    },
  };
}

class Planner {
  readonly #platform: Platform;
  readonly #args: ShellArguments;
  readonly #options: ShellOptions;
  readonly #context: Context;

  constructor(platform: Platform, args: ShellArguments, options: ShellOptions, context: Context) {
    this.#platform = platform;
    this.#args = args;
    this.#options = options;
    this.#context = context;
  }

  /** Of each source, the path that it goes to, and what is there. */
  async targets(found: readonly Argument[]): Promise<readonly (End | undefined)[]> {
    const { target, sources, intoDirectory, noTargetDirectory } = this.#args;
    const argument = found.at(-1);
    if (target === undefined || argument === undefined) return [];
    const isDirectory = !noTargetDirectory && (await isDirectoryAt(argument));
    if (!isDirectory && intoDirectory) throw new CliError('failure', `${target}: no such directory`);
    if (!isDirectory) return [await this.endOf(argument, target, true)];
    const paths = sources.map((source) => `${target.replace(/\/+$/, '')}/${basename(resolve(source))}`);
    const { platform, found: below } = await findArguments(paths, this.#context);
    await platform?.close();
    return Promise.all(below.map((each, index) => this.endOf(each, paths[index] ?? '', true)));
  }

  /** `mayBeFree`: nothing need be there. */
  async endOf(argument: Argument | undefined, path: string, mayBeFree = false): Promise<End> {
    const { api } = this.#platform;
    switch (argument?.kind) {
      case 'place': {
        const { place } = argument;
        const tree = await treeAt(place, { api, signal: this.#context.signal });
        return 'project' in place
          ? { where: 'project', project: place.project, tree }
          : { where: 'volume', tree };
      }
      case 'local':
        try {
          return { where: 'local', tree: await localTree(path) };
        } catch (error) {
          if (mayBeFree && errorCode(error) === 'ENOENT') return { where: 'local', tree: NO_TREE };
          throw new ShellRefusal(plainReason(error));
        }
      case 'free': {
        if (!mayBeFree) break;
        const { directory } = argument.free;
        return directory.kind === 'folder'
          ? { where: 'project', project: directory.project, tree: NO_TREE }
          : { where: 'volume', tree: NO_TREE };
      }
      case 'failed':
        throw new ShellRefusal(argument.reason);
    }
    throw new ShellRefusal('no such file or directory');
  }

  costOf(command: ShellCommand, source: End, target: End | undefined): ShellCost {
    if (command === 'rm' || target === undefined) return costOfRemoval(source, this.#options);
    return command === 'cp'
      ? costOfCopy(source, target, this.#options)
      : costOfMove(source, target, this.#options);
  }
}

async function isDirectoryAt(argument: Argument): Promise<boolean> {
  if (argument.kind === 'place') return isDirectoryPlace(argument.place);
  if (argument.kind !== 'local') return false;
  return stat(argument.given).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function say(
  { changes, links, jobs, carriedBytes, bytes }: ShellCost,
  platform: Platform,
  { names, json }: { readonly names: number; readonly json: boolean },
): Promise<void> {
  const changing = Object.values(changes).reduce((sum, count) => sum + count, 0);
  // The folders that the plan has listed, the command lists as well; it looks up the names that it was given.
  const looks = platform.calls() + names + links;
  const connection = await platform.connection();
  const window = connection?.rate.window;
  const ms = estimatePacedMs(looks + changing, window, Date.now(), BELIEVED_MS);
  if (json) {
    const seconds = Math.ceil(ms / 1000);
    console.log(
      JSON.stringify({
        requests: looks + changing,
        looks,
        changes: changing,
        calls: changes,
        jobs,
        bytes,
        carriedBytes,
        seconds,
      }),
    );
    return;
  }
  const what = Object.entries(changes).map(
    ([change, count]) => `${count.toLocaleString('en')} ${WORDS[change] ?? change}`,
  );
  console.log(
    [
      `${requests(looks + changing)}, ${describeDuration(ms)}`,
      `${looks.toLocaleString('en')} to look${what.map((each) => `, ${each}`).join('')}`,
      ...(jobs > 0 ? [jobs === 1 ? '1 job' : `${jobs.toLocaleString('en')} jobs`] : []),
      ...(bytes > 0
        ? [`${describeSize(bytes)}, of which ${describeSize(carriedBytes)} pass this machine`]
        : []),
    ].join('; '),
  );
}

const WORDS: Readonly<Record<string, string>> = {
  make: 'to make folders',
  copy: 'to copy',
  write: 'to upload',
  edit: 'to set attributes',
  move: 'to move',
  export: 'to export',
  import: 'to import',
  remove: 'to remove',
};
