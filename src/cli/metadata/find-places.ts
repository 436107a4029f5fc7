import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/metadata-options.ts';
import { getFiles } from '../../metadata/files/get-files.ts';
import { MissingError, type Place, Places } from '../../metadata/files/places.ts';
import { isPlatformPath, parsePlatformPath } from '../../metadata/files/platform-path.ts';
import type { PlatformPlace } from '../../vfs/listing/places-at.ts';
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
  const platform = await directPlatform(options, command);
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
  const platform = mountedPlatform(mount);
  const asked = await inquire(mount, { request: 'places', paths: paths.map(([, path]) => path) });
  for (const { path, reason } of asked.failures) {
    const [given = path] = paths.find(([, inMount]) => inMount === path) ?? [];
    failures.add(given, new Error(reason));
  }
  const there = asked.places.flatMap((place, index) =>
    place ? [{ given: paths[index]?.[0] ?? '', place }] : [],
  );
  const ids = there.flatMap(({ place }) => (place.kind === 'file' ? [place.id] : []));
  const files = await getFiles(ids, { api: platform.api, signal });
  const places = there.flatMap(({ given, place }) => {
    const found = placeOf(place, files);
    if (found === undefined)
      failures.add(given, new Error('changed on the platform meanwhile: run it again'));
    return found === undefined ? [] : [{ given, place: found }];
  });
  return { platform, places };
}

function placeOf(
  { kind, project, names, id }: PlatformPlace,
  files: Awaited<ReturnType<typeof getFiles>>,
): Place | undefined {
  if (kind === 'folder') return { kind, project, names, id };
  const found = files.get(id);
  if (found?.ok !== true || found.value.kind !== 'file') return undefined;
  return { kind, project, names, file: found.value };
}
