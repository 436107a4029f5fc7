import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import type { HasMetrics } from '../operations/monitoring/service-metrics.ts';
import { attempt } from '../operations/sweeping/attempt.ts';
import { BATCH, inBatches } from '../operations/sweeping/in-batches.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { forgetUpload } from './forget-upload.ts';
import { targetOf } from './upload-access.ts';
import { uploadsIn } from './upload-table.ts';

/**
 * Gives up the uploads that began longer ago than `ageMs` and that nobody completed. Answers how many. The age is
 * `--upload-days` (`sweeps.ts` of the service, every hour); without it uploads do not expire.
 */
export async function sweepUploads(
  services: HasStore & HasBlobs & HasMetrics & HasClock & HasLogger,
  ageMs: number,
  signal: AbortSignal,
): Promise<number> {
  const { store, blobs, clock, metrics } = services;
  const before = storedTime(clock.now() - ageMs);
  return inBatches(signal, async () => {
    const uploads = await uploadsIn(store).initiatedBefore(before, BATCH);
    for (const upload of uploads) {
      const now = storedTime(clock.now());
      if (!(await store.transaction((tx) => forgetUpload(tx, upload, now)))) continue;
      const target = targetOf(upload);
      await attempt(services, { what: 'uploads', blob: target.key }, () => blobs.abortUpload(target));
      metrics.uploadDropped('swept');
    }
    return uploads.length;
  });
}
