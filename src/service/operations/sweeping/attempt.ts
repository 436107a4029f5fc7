import type { HasLogger } from '../../../observe/logger.ts';
import type { HasBlobs } from '../../storage/blobs/blob-store.ts';

/**
 * Does something to one of many and answers whether that was possible: what fails for one is named in the log and keeps no other
 * back. Rejects when it is the store that fails, which would fail for each.
 *
 * @param about For the log: the sweep, and which one it is
 */
export async function attempt(
  { blobs, logger }: HasBlobs & HasLogger,
  about: { readonly what: string } & Readonly<Record<string, string>>,
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    logger.error({ ...about, err: error }, 'passed over by the sweep, which comes back to it');
    await blobs.probe();
    return false;
  }
}
