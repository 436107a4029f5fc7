import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { getFiles } from '../../places/get-files.ts';
import { MissingError, type Place, Places } from '../../places/places.ts';
import { isPlatformPath, parsePlatformPath } from '../../places/platform-path.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { PathFailures } from '../mount/path-failures.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locate } from '../mount/select-mount.ts';
import { directPlatform } from './direct-platform.ts';
import { mountedPlatform } from './mounted-platform.ts';
import type { Platform } from './platform.ts';

/** Where a command works: on one platform each. */
export interface PlacesOfPlatform {
  readonly platform: Platform;
  readonly places: readonly FoundPlace[];
}

export interface FoundPlace {
  /** As it was given. */
  readonly given: string;
  readonly place: Place;
}

export interface Found {
  readonly groups: readonly PlacesOfPlatform[];
  readonly failures: PathFailures;
}

export interface Context {
  readonly options: PlatformOptions;
  readonly command: Command;
  readonly signal: AbortSignal;
}

/** Finds paths in mounts, through those mounts, and paths `project:…`, by the profile. A path that is not found is a failure. */
export async function findPlaces(paths: readonly string[], context: Context): Promise<Found> {
  const failures = new PathFailures();
  const groups: PlacesOfPlatform[] = [];
  const direct = paths.filter(isPlatformPath);
  if (direct.length > 0) groups.push(await findDirectly(direct, context, failures));
  const inMounts = new Map<string, { readonly mount: SvcfsMount; readonly paths: [string, string][] }>();
  for (const given of paths.filter((path) => !isPlatformPath(path))) {
    const located = await locate(given);
    if (located === undefined) {
      failures.add(given, new Error('not in a mount of svcfs, and not project:owner/name/…'));
      continue;
    }
    const { mount, path } = located;
    const known = inMounts.get(mount.mountPoint) ?? { mount, paths: [] };
    inMounts.set(mount.mountPoint, known);
    known.paths.push([given, path]);
  }
  for (const { mount, paths: inMount } of inMounts.values())
    groups.push(await findInMount(mount, inMount, context, failures));
  return { groups, failures };
}

async function findDirectly(
  paths: readonly string[],
  { options, command, signal }: Context,
  failures: PathFailures,
): Promise<PlacesOfPlatform> {
  const platform = await directPlatform(options, command, signal);
  const finder = new Places({ api: platform.api, signal });
  const places: FoundPlace[] = [];
  try {
    for (const given of paths) {
      const path = parsePlatformPath(given);
      if (path === undefined) throw new CliError('usage', `${given}: no project: write project:owner/name/…`);
      try {
        places.push({ given, place: await finder.at(path) });
      } catch (error) {
        if (!(error instanceof MissingError)) throw platform.explain(error) ?? error;
        failures.add(given, new Error('no such file or folder'));
      }
    }
  } catch (error) {
    await platform.close();
    throw error;
  }
  return { platform, places };
}

async function findInMount(
  mount: SvcfsMount,
  paths: readonly (readonly [string, string])[],
  { signal }: Context,
  failures: PathFailures,
): Promise<PlacesOfPlatform> {
  const platform = mountedPlatform(mount, signal);
  const asked = await inquire(mount, { request: 'places', paths: paths.map(([, path]) => path) });
  for (const { path, reason } of asked.failures) {
    const [given = path] = paths.find(([, inMount]) => inMount === path) ?? [];
    failures.add(given, new Error(reason));
  }
  const there = asked.places.flatMap((place, index) => {
    const given = paths[index]?.[0] ?? '';
    if (place === null) return [];
    if (place.kind === 'file' || place.kind === 'folder') return [{ given, place }];
    failures.add(given, new Error(REASONS[place.kind]));
    return [];
  });
  const ids = there.flatMap(({ place }) => (place.kind === 'file' ? [place.file.id] : []));
  const files = await getFiles(ids, { api: platform.api, signal });
  const places = there.flatMap(({ given, place }) => {
    const found = asItIsNow(place, files);
    if (found === undefined)
      failures.add(given, new Error('changed on the platform meanwhile: run it again'));
    return found === undefined ? [] : [{ given, place: found }];
  });
  return { platform, places };
}

const ON_VOLUME = 'objects of volumes have no metadata or tags that can be changed';
const NOTHING = 'no such file or directory';
const REASONS = { free: NOTHING, missing: NOTHING, object: ON_VOLUME, prefix: ON_VOLUME } as const;

function asItIsNow(place: Place, files: Awaited<ReturnType<typeof getFiles>>): Place | undefined {
  if (place.kind === 'folder') return place;
  const found = files.get(place.file.id);
  if (found?.ok !== true || found.value.kind !== 'file') return undefined;
  return { ...place, file: found.value };
}
