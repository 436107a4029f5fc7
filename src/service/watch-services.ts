import type { HasClock } from '../lib/clock.ts';
import type { HasStats } from './http/service-stats.ts';
import { jobsIn } from './jobs/job-table.ts';
import type { HasMetrics } from './operations/monitoring/service-metrics.ts';
import type { HasStore } from './store/store.ts';
import { storedTime, storedTimeMs } from './store/stored-time.ts';
import { uploadsIn } from './uploads/upload-table.ts';

/** The metrics that are looked up at each reading: cheap questions, answered from indexes. */
export function watchServices({
  metrics,
  stats,
  store,
  clock,
}: HasStore & HasStats & HasMetrics & HasClock): void {
  metrics.watchProcess();
  metrics.gauge('svcfs_parts_in_flight', 'Parts being received now.', () => stats.partsInFlight);
  metrics.total(
    'svcfs_storage_received_bytes_total',
    'Bytes of parts received through the service since it started.',
    () => stats.storagePutBytes,
  );
  metrics.total(
    'svcfs_storage_sent_bytes_total',
    'Bytes of contents sent through the service since it started.',
    () => stats.storageGetBytes,
  );
  metrics.gauge('svcfs_uploads_open', 'Uploads begun and not yet completed.', () => uploadsIn(store).count());
  metrics.gauges(
    { name: 'svcfs_jobs', help: 'Jobs that have not ended.', labels: ['kind', 'state'] },
    async () =>
      (await jobsIn(store).countOpen()).map(({ kind, state, count }) => ({
        labels: { kind, state },
        value: count,
      })),
  );
  metrics.gauge('svcfs_jobs_oldest_waiting_seconds', 'Age of the oldest job nobody works on.', async () => {
    const oldest = await jobsIn(store).oldestWaiting(storedTime(clock.now()));
    return oldest === undefined ? 0 : Math.max(clock.now() - storedTimeMs(oldest), 0) / 1000;
  });
  metrics.gauges(
    { name: 'svcfs_database_connections', help: 'Connections to PostgreSQL, by state.', labels: ['state'] },
    async () =>
      Object.entries(store.connections() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  );
}
