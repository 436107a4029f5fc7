import { planTransfers } from '../../batch/plan/plan-transfers.ts';
import type { Operation, Replacement, Transfer } from '../../batch/plan/transfer.ts';
import { type AnyPlace, type DirectoryPlace, isDirectoryPlace, nameOf } from '../../places/any-place.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import { Report } from './report.ts';
import { type BatchOptions, runCommand } from './run-command.ts';

export interface TransferOptions extends BatchOptions {
  readonly recursive: boolean;
  /** `-n`: false. */
  readonly clobber: boolean;
  readonly interactive: boolean;
  readonly update: boolean;
  readonly targetDirectory: string | undefined;
}

const VERBS = { copy: 'copied', move: 'moved' } as const;

/** Copies or moves on the platform, with the arguments of cp(1) and mv(1). */
export async function transfer(
  operation: Operation,
  paths: readonly string[],
  options: TransferOptions,
  context: Context,
): Promise<void> {
  const { sources, target } = splitPaths(paths, options.targetDirectory);
  const { platform, found } = await findArguments([...sources, target], context);
  const report = new Report(VERBS[operation], options);
  try {
    const destination = found.at(-1);
    if (destination === undefined) return;
    const to = destinationOf(destination, {
      several: sources.length > 1 || options.targetDirectory !== undefined,
    });
    if (platform === undefined) throw new CliError('usage', `${target}: ${OF_THIS_MACHINE}`);
    const transfers = found.slice(0, -1).flatMap((argument): readonly Transfer[] => {
      const reason = refusalOf(argument);
      if (reason !== undefined) report.fail(argument.given, reason);
      return argument.kind === 'place' ? [transferOf(argument, to)] : [];
    });
    const { signal } = context;
    const steps = await planTransfers(transfers, {
      operation,
      recursive: options.recursive,
      api: platform.api,
      signal,
      asksFirst: options.interactive || options.update || !options.clobber,
      mayReplace: (replacement) => mayReplace(replacement, options, signal),
      onRefused: (source, reason) => report.fail(source, reason),
      onSkipped: (source, path, reason) =>
        report.onOutcome({ source, target: path }, { kind: 'skipped', reason }),
    });
    await runCommand({ steps, verb: VERBS[operation], platform, report }, options, signal);
  } catch (error) {
    throw platform?.explain(error) ?? error;
  } finally {
    await platform?.close();
  }
}

const OF_THIS_MACHINE =
  'not in a mount of svcfs, and not project:owner/name/… or volume:owner/name/…; cp(1) takes files of this machine to a mount';

function splitPaths(
  paths: readonly string[],
  directory: string | undefined,
): { readonly sources: readonly string[]; readonly target: string } {
  if (directory !== undefined) return { sources: paths, target: directory };
  const target = paths.at(-1);
  if (paths.length < 2 || target === undefined)
    throw new CliError('usage', `name a target after ${paths.at(0) ?? 'the sources'}`);
  return { sources: paths.slice(0, -1), target };
}

/** `name`: the entry itself gets that; undefined: it keeps its own, below. */
interface Destination {
  readonly given: string;
  readonly directory: DirectoryPlace;
  readonly name: string | undefined;
  readonly folderName?: string | undefined;
}

function destinationOf(argument: Argument, { several }: { readonly several: boolean }): Destination {
  const { given } = argument;
  switch (argument.kind) {
    case 'local':
      throw new CliError('usage', `${given}: ${OF_THIS_MACHINE}`);
    case 'failed':
      throw new CliError('failure', `${given}: ${argument.reason}`);
    case 'missing':
      throw new CliError('failure', `${given}: no such directory`);
    case 'free': {
      const { directory, name, folderName } = argument.free;
      // A level of a volume is there with its first object.
      if ((several || given.endsWith('/')) && directory.kind === 'prefix')
        return { given, directory: { ...directory, prefix: `${directory.prefix}${name}/` }, name: undefined };
      if (several) throw new CliError('failure', `${given}: no such directory; svcfs mkdir makes one`);
      return { given, directory, name, folderName };
    }
    case 'place': {
      const { place } = argument;
      if (isDirectoryPlace(place)) return { given, directory: place, name: undefined };
      if (several || given.endsWith('/')) throw new CliError('failure', `${given}: a file, and no directory`);
      return { given, ...placeOfFile(place) };
    }
  }
}

function placeOfFile(place: Exclude<AnyPlace, DirectoryPlace>): Pick<Destination, 'directory' | 'name'> {
  if (place.kind === 'object') {
    const slash = place.location.lastIndexOf('/') + 1;
    const prefix = place.location.slice(0, slash);
    return { directory: { kind: 'prefix', volume: place.volume, prefix }, name: place.location.slice(slash) };
  }
  const { project, names, file } = place;
  if (file.parent === undefined)
    throw new CliError('failure', `${file.name}: the platform does not tell its folder`);
  const directory = {
    kind: 'folder',
    project,
    names: names.slice(0, -1),
    id: file.parent,
    parent: undefined,
  } as const;
  return { directory, name: file.name };
}

function transferOf(
  { given, place }: Extract<Argument, { readonly kind: 'place' }>,
  { given: target, directory, name, folderName }: Destination,
): Transfer {
  const own = nameOf(place) || rootName(place);
  const asked = isDirectoryPlace(place) ? (folderName ?? name) : name;
  return {
    source: given.replace(/(?<=.)\/+$/, ''),
    place,
    target: name === undefined ? `${target.replace(/(?<=.)\/+$/, '')}/${own}` : target,
    to: { directory, name: asked ?? own },
  };
}

/** Of a whole project or volume. */
function rootName(place: AnyPlace): string {
  const root = 'project' in place ? place.project : place.volume;
  return root.slice(root.indexOf('/') + 1);
}

function refusalOf(argument: Argument): string | undefined {
  switch (argument.kind) {
    case 'place':
      return undefined;
    case 'local':
      return OF_THIS_MACHINE;
    case 'failed':
      return argument.reason;
    default:
      return 'no such file or directory';
  }
}

async function mayReplace(
  { target, before, after }: Replacement,
  { clobber, update, interactive }: TransferOptions,
  signal: AbortSignal,
): Promise<true | string> {
  if (!clobber) return 'it is there already';
  if (update && (before.modifiedMs ?? Number.POSITIVE_INFINITY) >= (after.modifiedMs ?? 0))
    return 'the one that is there is not older';
  if (interactive && !(await confirmed(`Replace ${target}?`, signal))) return 'not replaced';
  return true;
}
