import { ApiError } from '../errors.ts';

/** For the look after a lost answer to a deletion: true when the platform has it no more. */
export async function isGone(lookup: Promise<unknown>): Promise<true | undefined> {
  try {
    await lookup;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return true;
    }
    throw error;
  }
}
