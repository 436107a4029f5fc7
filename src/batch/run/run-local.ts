import { mkdir } from 'node:fs/promises';
import { ApiError } from '../../api/errors.ts';
import { errorCode } from '../../lib/error-code.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { DONE, failed, type Outcome } from '../item.ts';
import type { Download, LocalFolder, Upload } from '../step.ts';
import { FileRefusedError, type RunContext } from './run-context.ts';
import { isOfItem, placeOf } from './run-single.ts';

/** A directory that is there by now is as good as made. */
export async function makeLocalFolder({ path }: LocalFolder): Promise<Outcome> {
  try {
    await mkdir(path);
    return DONE;
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? DONE : failed(plainReason(error));
  }
}

/** What this machine or the platform says of the file fails that alone. */
export async function carry(item: Upload | Download, context: RunContext): Promise<Outcome> {
  const { carrier, signal } = context;
  if (carrier === undefined) throw new Error('nobody carries bytes for this step');
  let carried = 0;
  const onProgress = (bytes: number): void => {
    carried += bytes;
    context.onProgress(item, bytes);
  };
  const carrying = { signal, onProgress };
  try {
    if ('to' in item) {
      const place = placeOf(item.to);
      if (place === undefined) return failed('the folder that it goes to could not be made');
      await carrier.upload(item, place, carrying);
    } else await carrier.download(item, carrying);
    return DONE;
  } catch (error) {
    if (signal.aborted)
      return { kind: 'not sent', ...(carried > 0 && { reason: 'a part of it: the same command goes on' }) };
    if (error instanceof FileRefusedError) return failed(error.message);
    // Without the right to write, no other file would fare better.
    if (error instanceof ApiError && isOfItem(error) && error.status !== 403) return failed(error.message);
    throw error;
  }
}
