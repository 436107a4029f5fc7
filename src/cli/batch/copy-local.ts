/** Copies between this machine and projects, with the arguments of cp(1). */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { FileRecord } from '../../api/model.ts';
import { planDownloads, refusalOfName } from '../../batch/plan/plan-downloads.ts';
import { type LocalReplacement, type LocalTransfer, planUploads } from '../../batch/plan/plan-uploads.ts';
import type { Step } from '../../batch/step.ts';
import { errorCode } from '../../lib/error-code.ts';
import { millisecondsOf, nanosecondsOf } from '../../lib/nanoseconds.ts';
import { nameOf } from '../../places/any-place.ts';
import type { Place } from '../../places/places.ts';
import { readReservedPairs, reservedPairs } from '../../vfs/attributes/reserved-pairs.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import type { Argument } from '../platform/find-arguments.ts';
import type { Platform } from '../platform/platform.ts';
import type { LocalCarrier } from './byte-carrier.ts';
import { type Destination, withoutSlash } from './destination.ts';
import type { Report } from './report.ts';
import type { TransferOptions } from './transfer-options.ts';

export interface LocalCopy {
  readonly platform: Platform;
  readonly carrier: LocalCarrier;
  readonly options: TransferOptions;
  readonly report: Report;
  readonly signal: AbortSignal;
}

export const NO_VOLUME =
  'the platform takes and gives no bytes of a volume here: copy it by way of a project (svcfs cp), or by cp(1) in a mount';

/** To a folder of a project. */
export function stepsUp(
  paths: readonly string[],
  to: Destination,
  copy: LocalCopy,
): Promise<readonly Step[]> {
  const { platform, carrier, options, report, signal } = copy;
  const { directory } = to;
  if (directory.kind !== 'folder') throw new CliError('usage', `${to.given}: ${NO_VOLUME}`);
  const transfers = paths.map((given): LocalTransfer => {
    const source = withoutSlash(given);
    const own = basename(resolve(source));
    return {
      source,
      path: source,
      target: to.name === undefined ? `${withoutSlash(to.given)}/${own}` : to.given,
      to: { directory, name: to.name ?? own },
    };
  });
  return planUploads(transfers, {
    api: platform.api,
    signal,
    recursive: options.recursive,
    asks: options.interactive,
    mayReplace: (replacement) => mayReplace(replacement, copy, 'up'),
    pairsOf: (stats) => (options.preserve ? pairsOf(stats) : {}),
    requestsOf: (sizeBytes, annotated) => carrier.requestsToUpload(sizeBytes, annotated),
    isMount: async (path) => (await locate(path)) !== undefined,
    onRefused: (source, reason) => report.fail(source, reason),
    onSkipped: (source, target, reason) => report.onOutcome({ source, target }, { kind: 'skipped', reason }),
  });
}

type Named = Extract<Argument, { readonly kind: 'place' }>;

/** To a directory or a name of this machine. */
export async function stepsDown(
  found: readonly Named[],
  target: string,
  several: boolean,
  copy: LocalCopy,
): Promise<readonly Step[]> {
  const { platform, options, report, signal } = copy;
  const isDirectory = !options.noTargetDirectory && (await isDirectoryAt(target));
  if (!isDirectory && (several || target.endsWith('/')))
    throw new CliError('failure', `${target}: no such directory`);
  const fetchings = found.flatMap(({ given, place }) => {
    const refusal = place.kind === 'file' || place.kind === 'folder' ? undefined : NO_VOLUME;
    const own = nameOf(place) || ('project' in place ? basename(place.project) : '');
    const reason = refusal ?? (isDirectory ? refusalOfName(own) : undefined);
    if (reason !== undefined) {
      report.fail(given, reason);
      return [];
    }
    const at = isDirectory ? `${target.replace(/\/+$/, '')}/${own}` : target;
    return [{ source: withoutSlash(given), place: place as Place, target: at }];
  });
  return planDownloads(fetchings, {
    api: platform.api,
    signal,
    recursive: options.recursive,
    asks: options.interactive,
    mayReplace: (replacement) => mayReplace(replacement, copy, 'down'),
    attributesOf: (file, replaced) => attributesOf(file, replaced, options.preserve),
    onRefused: (source, reason) => report.fail(source, reason),
    onSkipped: (source, path, reason) =>
      report.onOutcome({ source, target: path }, { kind: 'skipped', reason }),
  });
}

async function isDirectoryAt(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function mayReplace(
  { target, path, stats, file }: LocalReplacement,
  { carrier, options, signal }: LocalCopy,
  way: 'up' | 'down',
): Promise<true | string> {
  const { clobber, update, checksum, interactive } = options;
  if (!clobber) return 'it is there already';
  const theirs = modifiedMs(file);
  const isOlder = way === 'up' ? theirs < stats.mtimeMs : stats.mtimeMs < theirs;
  if (update && !isOlder) {
    const other = stats.size === file.sizeBytes ? '' : ', and has another size';
    return `the one that is there is not older${other}`;
  }
  // The platform tells whole seconds of a file whose time was not set: within one it may be what was just copied.
  const isInDoubt = update && Math.floor(theirs / 1000) === Math.floor(stats.mtimeMs / 1000);
  if ((checksum || isInDoubt) && stats.size === file.sizeBytes && (await carrier.isSame(path, file, signal)))
    return 'the same content is there';
  if (interactive && !(await confirmed(`Replace ${target}?`, signal))) return 'not replaced';
  return true;
}

/** As a mount shows it. */
function modifiedMs({ metadata, modifiedMs: writtenMs }: FileRecord): number {
  const { mtimeNs } = readReservedPairs(metadata);
  return mtimeNs === undefined ? writtenMs : millisecondsOf(mtimeNs);
}

/** Mode and time, as a mount keeps them. */
function pairsOf({ mode, mtimeMs }: Stats): Record<string, string> {
  return reservedPairs({ mode: mode & 0o7777, mtimeNs: nanosecondsOf(mtimeMs) });
}

const NEW_FILE_MODE = 0o666;

function attributesOf(file: FileRecord, replaced: Stats | undefined, preserve: boolean) {
  const { mode } = readReservedPairs(file.metadata);
  const usual = replaced === undefined ? NEW_FILE_MODE & ~process.umask() : replaced.mode & 0o7777;
  return {
    // As cp -p does not, a set-user bit of somebody else's file is not taken over.
    mode: preserve && mode !== undefined ? mode & 0o777 : usual,
    mtimeMs: preserve ? modifiedMs(file) : undefined,
  };
}
