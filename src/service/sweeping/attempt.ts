import type { Services } from '../services.ts';

/**
 * Does something to a blob and answers whether that was possible: what fails for one is named in the log and keeps no other back.
 * Rejects when it is the store that fails, which would fail for each.
 *
 * @param what The sweep
 */
export async function attempt(
  { blobs, logger }: Services,
  { what, blob }: { readonly what: string; readonly blob: string },
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    logger.error({ what, blob, err: error }, 'passed over by the sweep, which comes back to it');
    await blobs.probe();
    return false;
  }
}
