import type { FolderPlace } from '../../places/places.ts';
import { CliError } from '../exit-codes.ts';
import { locate, runningMounts } from '../mount/select-mount.ts';
import { directPlatform } from './direct-platform.ts';
import { type Context, findPlaces } from './find-places.ts';
import { mountedPlatform } from './mounted-platform.ts';
import type { Platform } from './platform.ts';

export interface ChosenPlatform {
  readonly platform: Platform;
  /** The folder of --in. */
  readonly folder: FolderPlace | undefined;
}

/**
 * The platform that a table is of: that of `--in`; else of the mount that the working directory is in, or the only one
 * there is; else of the profile, which goes first when it is named.
 */
export async function choosePlatform(inPath: string | undefined, context: Context): Promise<ChosenPlatform> {
  if (inPath !== undefined) return platformAt(inPath, context);
  const { options, command } = context;
  const isNamed = ['endpoint', 'tokenFile', 'profile'].some(
    (name) => command.getOptionValueSource(name) === 'cli',
  );
  const direct = async () => ({
    platform: await directPlatform(options, command, context.signal),
    folder: undefined,
  });
  if (isNamed) return direct();
  const here = await locate('.');
  if (here !== undefined) return { platform: mountedPlatform(here.mount, context.signal), folder: undefined };
  const [only, ...others] = await runningMounts();
  if (only === undefined) return direct();
  if (others.length === 0) return { platform: mountedPlatform(only, context.signal), folder: undefined };
  const all = [only, ...others].map(({ mountPoint }) => mountPoint).join(', ');
  throw new CliError(
    'usage',
    `several mounts are there: name a folder of one by --in, or a profile by --profile: ${all}`,
  );
}

async function platformAt(path: string, context: Context): Promise<ChosenPlatform> {
  const { groups, failures } = await findPlaces([path], context);
  const [failure] = failures.failures;
  if (failure !== undefined) throw new CliError('failure', `${path}: ${failure.reason}`);
  const [group] = groups;
  const place = group?.places[0]?.place;
  if (group === undefined || place === undefined) throw new CliError('failure', `${path}: not found`);
  if (place.kind !== 'folder') throw new CliError('usage', `${path}: no folder or project`);
  return { platform: group.platform, folder: place };
}
