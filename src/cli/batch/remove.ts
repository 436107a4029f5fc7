import { planRemoval, type Removal } from '../../batch/plan/plan-removal.ts';
import { planTrashing } from '../../batch/plan/plan-trashing.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { describePlace } from '../../places/any-place.ts';
import { filesAt } from '../../places/list-files.ts';
import type { FolderPlace } from '../../places/places.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import type { Guards } from '../mount/platform-inquiries.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { Report } from './report.ts';
import { type BatchOptions, runCommand } from './run-command.ts';

export interface RemoveOptions extends BatchOptions {
  readonly recursive: boolean;
  readonly force: boolean;
  readonly interactive: boolean;
}

const REMOVED = 'removed';
const TRASHED = 'moved to the trash';

/** Removes files, and with `recursive` folders and all below them. */
export async function remove(
  paths: readonly string[],
  options: RemoveOptions,
  context: Context,
): Promise<void> {
  const { platform, found, guards } = await findArguments(paths, context);
  const verb = guards.keepsTrash ? TRASHED : REMOVED;
  const report = new Report(verb, options);
  try {
    const accepted = found.flatMap((argument): readonly Removal[] => {
      const reason = refusalOf(argument, options);
      if (argument.kind === 'place' && reason === undefined && isOfProject(argument.place))
        return [{ source: argument.given, place: argument.place }];
      if (reason !== undefined) report.fail(argument.given, reason);
      return [];
    });
    if (platform === undefined) return report.end(undefined, undefined);
    const { signal } = context;
    const removals = await chosen(accepted, { platform, options, guards, signal });
    const onRefused = (source: string, reason: string): void => report.fail(source, reason);
    const steps = guards.keepsTrash
      ? await planTrashing(removals, { api: platform.api, signal, nowMs: Date.now(), onRefused })
      : planRemoval(removals);
    await runCommand({ steps, verb, platform, report }, options, signal);
  } finally {
    await platform?.close();
  }
}

type Found = Extract<Argument, { readonly kind: 'place' }>['place'];

function isOfProject(place: Found): place is Removal['place'] {
  return place.kind === 'file' || place.kind === 'folder';
}

/** Undefined also for what is not there, with `force`. */
function refusalOf(argument: Argument, { recursive, force }: RemoveOptions): string | undefined {
  switch (argument.kind) {
    case 'local':
      return 'not in a mount of svcfs, and not project:owner/name/…';
    case 'failed':
      return argument.reason;
    case 'free':
    case 'missing':
      return force ? undefined : 'no such file or directory';
    case 'place':
      return refusalOfPlace(argument.place, recursive);
  }
}

function refusalOfPlace(place: Found, recursive: boolean): string | undefined {
  switch (place.kind) {
    case 'file':
      return undefined;
    case 'folder':
      if (place.parent === undefined) return 'a whole project: name what is in it';
      return recursive ? undefined : 'a folder: -r removes it and all below';
    case 'object':
    case 'prefix':
      return 'the platform removes nothing from a volume: remove it in the store, by its own means';
  }
}

interface Choosing {
  readonly platform: Platform;
  readonly options: RemoveOptions;
  readonly guards: Guards;
  readonly signal: AbortSignal;
}

/**
 * Asks on a terminal, unless it is told not to: the platform's deletion is final. Elsewhere a mount with --confirm-delete
 * lets only so many go unasked.
 */
async function chosen(removals: readonly Removal[], choosing: Choosing): Promise<readonly Removal[]> {
  const { options, guards, signal } = choosing;
  if (options.force || options.dryRun || removals.length === 0) return removals;
  if (options.interactive) {
    const wanted: Removal[] = [];
    for (const removal of removals)
      if (await confirmed(`Remove ${await describe([removal], choosing)}?`, signal)) wanted.push(removal);
    return wanted;
  }
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    if (guards.confirmDelete !== undefined) await requireFew(removals, guards.confirmDelete, choosing);
    return removals;
  }
  const what = await describe(removals, choosing);
  const question = guards.keepsTrash ? `Move ${what} to the trash?` : `Remove ${what}? This is final.`;
  return (await confirmed(question, signal)) ? removals : [];
}

async function requireFew(removals: readonly Removal[], limit: number, choosing: Choosing): Promise<void> {
  const { files } = await countOf(removals, choosing);
  if (files > limit)
    throw new CliError(
      'failure',
      `nothing was removed: these are ${files.toLocaleString('en')} files, and the mount lets ${limit} go unasked ` +
        '(--confirm-delete). To remove them add -f',
    );
}

async function countOf(
  removals: readonly Removal[],
  { platform, signal }: Choosing,
): Promise<{ readonly files: number; readonly bytes: number }> {
  let files = 0;
  let bytes = 0;
  for (const { place } of removals) {
    for (const { file } of await filesAt(place, { api: platform.api, signal, recursive: true })) {
      files += 1;
      bytes += file.sizeBytes;
    }
  }
  return { files, bytes };
}

async function describe(removals: readonly Removal[], choosing: Choosing): Promise<string> {
  const { files, bytes } = await countOf(removals, choosing);
  const [only] = removals;
  const folders = removals
    .filter(({ place }) => place.kind === 'folder')
    .map(({ place }) => place as FolderPlace);
  const [folder] = folders;
  const what = `${files === 1 ? '1 file' : `${files.toLocaleString('en')} files`}, ${describeSize(bytes)}`;
  if (removals.length === 1 && only !== undefined) return `${describePlace(only.place)} (${what})`;
  if (folder === undefined) return what;
  return `${what}, with ${folders.length === 1 ? `the folder ${describePlace(folder)}` : `${folders.length} folders`}`;
}
