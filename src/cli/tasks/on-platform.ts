import { choosePlatform } from '../platform/choose-platform.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';

/** Does work on the platform of the mount at hand, else of the profile. */
export async function onPlatform<T>(context: Context, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { platform } = await choosePlatform(undefined, context);
  return finishing(platform, () => work(platform));
}

/** Closes a platform after the work, and says of its failure what a person should read. */
export async function finishing<T>(platform: Platform, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw platform.explain(error) ?? error;
  } finally {
    await platform.close();
  }
}
