import { planTransfers } from '../../batch/plan/plan-transfers.ts';
import type { Transfer } from '../../batch/plan/transfer.ts';
import { type AnyPlace, describePlace, isDirectoryPlace } from '../../places/any-place.ts';
import { CliError } from '../exit-codes.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import { type Destination, destinationOf } from './destination.ts';
import { expandGlob, fixedPartOf, isGlob } from './expand-globs.ts';
import { Report } from './report.ts';
import { type BatchOptions, runCommand } from './run-command.ts';
import { refusalOf, transferOf } from './transfer.ts';

export type Direction = 'import' | 'export';

export interface StartOptions extends BatchOptions {
  readonly recursive: boolean;
  /** A file that has the name is replaced; else that item fails, as the API has it. */
  readonly overwrite: boolean;
  /** Of exports: no alias takes the place of the file. */
  readonly copyOnly?: boolean;
  readonly wait: boolean;
}

const KINDS = {
  import: { verb: 'imported', from: ['object', 'prefix'], to: 'folder' },
  export: { verb: 'exported', from: ['file', 'folder'], to: 'prefix' },
} as const;

/** Starts an import or export for each file, 100 a request, and waits for them when it is told to. */
export async function startTransfers(
  direction: Direction,
  paths: readonly string[],
  options: StartOptions,
  context: Context,
): Promise<void> {
  const { verb, to } = KINDS[direction];
  const { signal } = context;
  const target = paths.at(-1);
  const sources = paths.slice(0, -1);
  if (target === undefined || sources.length === 0)
    throw new CliError('usage', `name a target after ${target ?? 'the sources'}`);
  const looked = sources.map((source) => (isGlob(source) ? fixedPartOf(source) : source));
  const { platform, found } = await findArguments([...looked, target], context);
  const report = new Report(verb, options);
  try {
    if (platform === undefined) throw new CliError('usage', `${target}: ${OF_THIS_MACHINE}`);
    const places: Argument[] = [];
    for (const [index, source] of sources.entries()) {
      const argument = found[index];
      if (argument === undefined) continue;
      if (isGlob(source) && argument.kind === 'place') {
        const fitting = await expandGlob(source, argument.place, { api: platform.api, signal });
        if (fitting.length === 0) report.fail(source, 'nothing fits');
        for (const place of fitting) places.push({ given: describePlace(place), kind: 'place', place });
      } else places.push(argument);
    }
    const several = places.length > 1 || sources.some(isGlob);
    const last = found.at(-1);
    if (last?.kind === 'local') throw new CliError('usage', `${target}: ${OF_THIS_MACHINE}`);
    if (last === undefined) return;
    const destination = destinationOf(last, { several, isEntry: false });
    if (destination.directory.kind !== to)
      throw new CliError('usage', `${target}: ${direction === 'import' ? 'no project' : 'no volume'}`);
    const transfers = transfersOf(places, destination, { direction, options, report });
    const steps = await planTransfers(transfers, {
      operation: direction === 'export' && options.copyOnly !== true ? 'move' : 'copy',
      recursive: options.recursive,
      api: platform.api,
      signal,
      asksFirst: !options.overwrite,
      mayReplace: () => Promise.resolve(options.overwrite || TAKEN),
      onRefused: (source, reason) => report.fail(source, reason),
      onSkipped: (source, path, reason) => {
        if (reason === TAKEN) report.fail(source, `${path}: ${reason}`);
        else report.onOutcome({ source, target: path }, { kind: 'skipped', reason });
      },
    });
    await runCommand({ steps, verb, platform, report }, options, signal);
  } catch (error) {
    throw platform?.explain(error) ?? error;
  } finally {
    await platform?.close();
  }
}

const OF_THIS_MACHINE =
  'not in a mount of svcfs, and not project:owner/name/… or volume:owner/name/…; svcfs cp takes files of this machine to the platform';
const TAKEN = 'there is one of that name: --overwrite replaces it';

function transfersOf(
  places: readonly Argument[],
  destination: Destination,
  {
    direction,
    options,
    report,
  }: { readonly direction: Direction; readonly options: StartOptions; readonly report: Report },
): readonly Transfer[] {
  return places.flatMap((argument): readonly Transfer[] => {
    const reason =
      (argument.kind === 'local' ? OF_THIS_MACHINE : refusalOf(argument)) ??
      (argument.kind === 'place' ? refusalOfPlace(argument.place, direction, options) : undefined);
    if (reason !== undefined) report.fail(argument.given, reason);
    return argument.kind === 'place' && reason === undefined ? [transferOf(argument, destination)] : [];
  });
}

function refusalOfPlace(
  place: AnyPlace,
  direction: Direction,
  { recursive }: StartOptions,
): string | undefined {
  const from: readonly string[] = KINDS[direction].from;
  if (!from.includes(place.kind))
    return direction === 'import' ? 'no object of a volume' : 'no file of a project';
  return isDirectoryPlace(place) && !recursive ? 'a folder: -r takes all below' : undefined;
}
