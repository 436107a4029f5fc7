import { CredentialsError } from '../../config/credentials-error.ts';
import { CliError } from '../exit-codes.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locate, runningMounts } from '../mount/select-mount.ts';
import { describeRefusal } from './describe-refusal.ts';
import { directPlatform } from './direct-platform.ts';
import type { Context } from './find-places.ts';
import { mountedPlatform } from './mounted-platform.ts';
import type { Platform } from './platform.ts';

/** A platform, and the mount whose process makes the calls, if one does. */
export interface Reached {
  readonly platform: Platform;
  readonly mount: SvcfsMount | undefined;
}

/**
 * Does work on the platform of the mount that the working directory is in; else on that of the profile; without a profile, on that
 * of the only mount. A mount may be another user's on the same platform: it stands in for no profile.
 *
 * @throws CliError also for what the platform refuses
 */
export async function onPlatform<T>(context: Context, work: (reached: Reached) => Promise<T>): Promise<T> {
  return closing(await reach(context), work);
}

/** The same for a mount that is known. */
export function inMount<T>(
  mount: SvcfsMount,
  { signal }: Context,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  return closing({ platform: mountedPlatform(mount, signal), mount }, work);
}

async function closing<T>(reached: Reached, work: (reached: Reached) => Promise<T>): Promise<T> {
  const { platform } = reached;
  try {
    return await work(reached);
  } catch (error) {
    throw describeRefusal(error) ?? platform.explain(error) ?? error;
  } finally {
    await platform.close();
  }
}

async function reach({ options, command, signal }: Context): Promise<Reached> {
  const isNamed = ['endpoint', 'tokenFile', 'profile'].some(
    (name) => command.getOptionValueSource(name) === 'cli',
  );
  const here = isNamed ? undefined : await locate('.');
  if (here !== undefined) return { platform: mountedPlatform(here.mount, signal), mount: here.mount };
  try {
    return { platform: await directPlatform(options, command, signal), mount: undefined };
  } catch (error) {
    const [only, ...others] = await runningMounts();
    if (isNamed || !(error instanceof CredentialsError) || only === undefined) throw error;
    if (others.length === 0) return { platform: mountedPlatform(only, signal), mount: only };
    const all = [only, ...others].map(({ mountPoint }) => mountPoint).join(', ');
    throw new CliError('usage', `several mounts are there: change into one, or name a --profile: ${all}`);
  }
}
