import { planTransfers } from '../../batch/plan/plan-transfers.ts';
import type { Operation, Replacement, Transfer } from '../../batch/plan/transfer.ts';
import type { Step } from '../../batch/step.ts';
import { type AnyPlace, isDirectoryPlace, nameOf } from '../../places/any-place.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import { byteCarrier, type LocalCarrier } from './byte-carrier.ts';
import { type LocalCopy, stepsDown, stepsUp } from './copy-local.ts';
import { type Destination, destinationOf, withoutSlash } from './destination.ts';
import { Report } from './report.ts';
import { runCommand } from './run-command.ts';
import type { TransferOptions } from './transfer-options.ts';

const VERBS = { copy: 'copied', move: 'moved' } as const;

/** Copies or moves with the arguments of cp(1) and mv(1): on the platform, and copies from and to this machine. */
export async function transfer(
  operation: Operation,
  paths: readonly string[],
  options: TransferOptions,
  context: Context,
): Promise<void> {
  const { sources, target } = splitPaths(paths, options);
  const { platform, found } = await findArguments([...sources, target], context);
  const report = new Report(VERBS[operation], options);
  let carrier: LocalCarrier | undefined;
  try {
    const destination = found.at(-1);
    if (destination === undefined) return;
    if (platform === undefined) throw new CliError('usage', `${target}: ${ALL_LOCAL}`);
    const isLocal = found.some(({ kind }) => kind === 'local');
    if (isLocal && operation === 'move') throw new CliError('usage', `${localOf(found)}: ${NO_MOVE}`);
    const several = sources.length > 1 || options.targetDirectory !== undefined;
    const planning = { platform, options, report, signal: context.signal };
    carrier = isLocal ? await byteCarrier(platform, context.options) : undefined;
    const given = found.slice(0, -1);
    const steps =
      destination.kind === 'local'
        ? await fromPlatform(given, destination.given, several, { ...planning, carrier })
        : await toPlatform(
            operation,
            given,
            destinationOf(destination, { several, isEntry: options.noTargetDirectory }),
            {
              ...planning,
              carrier,
            },
          );
    const command = { steps, verb: VERBS[operation], platform, report, carrier };
    await runCommand(command, options, context.signal);
  } catch (error) {
    throw platform?.explain(error) ?? error;
  } finally {
    await carrier?.close();
    await platform?.close();
  }
}

type Planning = Omit<LocalCopy, 'carrier'> & { readonly carrier: LocalCarrier | undefined };

function fromPlatform(
  given: readonly Argument[],
  target: string,
  several: boolean,
  { carrier, ...planning }: Planning,
): Promise<readonly Step[]> {
  if (carrier === undefined) throw new Error('nobody carries bytes');
  const places = given.flatMap((argument) => {
    const reason = argument.kind === 'local' ? ALL_LOCAL : refusalOf(argument);
    if (reason !== undefined) planning.report.fail(argument.given, reason);
    return argument.kind === 'place' ? [argument] : [];
  });
  return stepsDown(places, target, several, { ...planning, carrier });
}

async function toPlatform(
  operation: Operation,
  given: readonly Argument[],
  to: Destination,
  { carrier, ...planning }: Planning,
): Promise<readonly Step[]> {
  const { platform, options, report, signal } = planning;
  const local = given.filter(({ kind }) => kind === 'local').map((argument) => argument.given);
  const transfers = given.flatMap((argument): readonly Transfer[] => {
    const reason = refusalOf(argument);
    if (reason !== undefined) report.fail(argument.given, reason);
    return argument.kind === 'place' ? [transferOf(argument, to)] : [];
  });
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
  if (carrier === undefined) return steps;
  return [...steps, ...(await stepsUp(local, to, { ...planning, carrier }))];
}

const ALL_LOCAL =
  'neither it nor what it is copied with is in a mount of svcfs, or project:owner/name/… or volume:owner/name/…: cp(1) copies on this machine';
const NO_MOVE =
  'not in a mount of svcfs, and not project:owner/name/… or volume:owner/name/…: copy it (svcfs cp), then remove it';

function localOf(found: readonly Argument[]): string {
  return found.find(({ kind }) => kind === 'local')?.given ?? '';
}

function splitPaths(
  paths: readonly string[],
  { targetDirectory, noTargetDirectory }: TransferOptions,
): { readonly sources: readonly string[]; readonly target: string } {
  if (noTargetDirectory && (targetDirectory !== undefined || paths.length > 2))
    throw new CliError('usage', '-T takes one source and one target');
  if (targetDirectory !== undefined) return { sources: paths, target: targetDirectory };
  const target = paths.at(-1);
  if (paths.length < 2 || target === undefined)
    throw new CliError('usage', `name a target after ${paths.at(0) ?? 'the sources'}`);
  return { sources: paths.slice(0, -1), target };
}

export function transferOf(
  { given, place }: Extract<Argument, { readonly kind: 'place' }>,
  { given: target, directory, name, folderName }: Destination,
): Transfer {
  const own = nameOf(place) || rootName(place);
  const asked = isDirectoryPlace(place) ? (folderName ?? name) : name;
  return {
    source: withoutSlash(given),
    place,
    target: name === undefined ? `${withoutSlash(target)}/${own}` : target,
    to: { directory, name: asked ?? own },
  };
}

/** Of a whole project or volume. */
function rootName(place: AnyPlace): string {
  const root = 'project' in place ? place.project : place.volume;
  return root.slice(root.indexOf('/') + 1);
}

export function refusalOf(argument: Argument): string | undefined {
  switch (argument.kind) {
    case 'place':
    case 'local':
      return undefined;
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
