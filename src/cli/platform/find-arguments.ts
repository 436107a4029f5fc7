import { readMountTable } from '../../fuse/mount-table.ts';
import type { AnyPlace, FreePlace } from '../../places/any-place.ts';
import { AnyPlaces } from '../../places/find-any.ts';
import { MissingError } from '../../places/places.ts';
import { isPlatformPath, parsePlatformPath } from '../../places/platform-path.ts';
import { isVolumePath, parseVolumePath } from '../../places/volume-path.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import type { Guards } from '../mount/platform-inquiries.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locate, type PathInMount } from '../mount/select-mount.ts';
import { directPlatform } from './direct-platform.ts';
import type { Context } from './find-places.ts';
import { mountedPlatform } from './mounted-platform.ts';
import type { Platform } from './platform.ts';
import { endpointOf } from './tell-mounts.ts';

/** What a path of the command line means. */
export type Argument = { readonly given: string } & (
  | { readonly kind: 'place'; readonly place: AnyPlace }
  | { readonly kind: 'free'; readonly free: FreePlace }
  /** There is no directory either that it could be in. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** On this machine, and in no mount. */
  | { readonly kind: 'local' }
);

export interface Arguments {
  /** Undefined when all paths are on this machine. */
  readonly platform: Platform | undefined;
  /** In the order of the paths. */
  readonly found: readonly Argument[];
  /** Of the mounts that the paths are in. */
  readonly guards: Guards;
}

const UNGUARDED: Guards = { keepsTrash: false };

/**
 * Finds what paths mean. One command works on one platform: that of the mount that a path is in, also for those of the form
 * `project:…` and `volume:…` beside it, else that of the profile, or `otherwise`.
 */
export async function findArguments(
  paths: readonly string[],
  context: Context,
  otherwise?: () => Promise<Platform>,
): Promise<Arguments> {
  const table = await readMountTable();
  const inMounts = new Map<string, PathInMount>();
  for (const path of paths) {
    const located = isOnPlatform(path) ? undefined : await locate(path, () => Promise.resolve(table));
    if (located !== undefined) inMounts.set(path, located);
  }
  const mounts = [...new Map([...inMounts.values()].map(({ mount }) => [mount.mountPoint, mount])).values()];
  const platform =
    mounts.length === 0 && otherwise !== undefined
      ? await otherwise()
      : await platformOf(mounts, paths, context);
  if (platform === undefined)
    return { platform, found: paths.map((given) => ({ given, kind: 'local' })), guards: UNGUARDED };
  try {
    const found = new Map<string, Argument>();
    let guards = UNGUARDED;
    for (const mount of mounts) {
      const there = [...inMounts].filter(([, located]) => located.mount.mountPoint === mount.mountPoint);
      const answer = await findInMount(mount, there);
      for (const argument of answer.found) found.set(argument.given, argument);
      guards = both(guards, answer.guards);
    }
    for (const argument of await findOnPlatform(paths.filter(isOnPlatform), platform, context.signal))
      found.set(argument.given, argument);
    return { platform, found: paths.map((given) => found.get(given) ?? { given, kind: 'local' }), guards };
  } catch (error) {
    await platform.close();
    throw platform.explain(error) ?? error;
  }
}

function isOnPlatform(path: string): boolean {
  return isPlatformPath(path) || isVolumePath(path);
}

async function platformOf(
  [mount, ...others]: readonly SvcfsMount[],
  paths: readonly string[],
  { options, command, signal }: Context,
): Promise<Platform | undefined> {
  if (mount === undefined)
    return paths.some(isOnPlatform) ? directPlatform(options, command, signal) : undefined;
  const endpoint = await endpointOf(mount);
  for (const other of others) {
    if ((await endpointOf(other)) !== endpoint)
      throw new CliError(
        'usage',
        `${mount.mountPoint} and ${other.mountPoint} show different platforms: one command works on one`,
      );
  }
  return mountedPlatform(mount, signal, others);
}

async function findInMount(
  mount: SvcfsMount,
  located: readonly (readonly [string, PathInMount])[],
): Promise<{ readonly found: readonly Argument[]; readonly guards: Guards }> {
  const paths = located.map(([, { path }]) => path);
  const { places, guards, failures } = await inquire(mount, { request: 'places', paths });
  const reasons = new Map(failures.map(({ path, reason }) => [path, reason]));
  const found = located.map(([given, { path }], index): Argument => {
    const place = places[index];
    if (!place) return { given, kind: 'failed', reason: reasons.get(path) ?? 'it could not be looked at' };
    if (place.kind === 'missing') return { given, kind: 'missing' };
    if (place.kind === 'free') return { given, kind: 'free', free: place };
    return { given, kind: 'place', place };
  });
  return { found, guards };
}

function both(some: Guards, others: Guards): Guards {
  const counts = [some.confirmDelete, others.confirmDelete].filter((count) => count !== undefined);
  return {
    keepsTrash: some.keepsTrash || others.keepsTrash,
    confirmDelete: counts.length === 0 ? undefined : Math.min(...counts),
  };
}

async function findOnPlatform(
  paths: readonly string[],
  { api }: Platform,
  signal: AbortSignal,
): Promise<readonly Argument[]> {
  const places = new AnyPlaces({ api, signal });
  const inProjects = paths.filter(isPlatformPath);
  const parsed = inProjects.map((given) => {
    const path = parsePlatformPath(given);
    if (path === undefined) throw new CliError('usage', `${given}: no project: write project:owner/name/…`);
    return path;
  });
  const found = await places.inProjects(parsed);
  const answers = inProjects.map((given, index) => argumentOf(given, found[index]));
  for (const given of paths.filter(isVolumePath)) {
    const path = parseVolumePath(given);
    if (path === undefined) throw new CliError('usage', `${given}: no volume: write volume:owner/name/…`);
    answers.push(argumentOf(given, await places.onVolume(path)));
  }
  return answers;
}

function argumentOf(given: string, found: AnyPlace | FreePlace | MissingError | undefined): Argument {
  if (found === undefined || found instanceof MissingError) return { given, kind: 'missing' };
  return found.kind === 'free'
    ? { given, kind: 'free', free: found }
    : { given, kind: 'place', place: found };
}
