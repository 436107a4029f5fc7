import { expect, it } from 'vitest';
import { mountMetrics } from '../../../../src/cli/mount/mount-metrics.ts';
import type { MountStatistics } from '../../../../src/cli/mount/mount-statistics.ts';
import { someStatistics } from '../some-statistics.ts';

function spoolMetrics(spool: MountStatistics['spool']): Readonly<Record<string, number | undefined>> {
  const metrics = mountMetrics(someStatistics({ spool }), { version: '1.2.3', mountPoint: '/mnt/svc' });
  const ofSpool = metrics.filter(({ name }) => name.startsWith('svcfs_mount_spool_'));
  return Object.fromEntries(
    ofSpool.flatMap((metric) =>
      metric.type === 'histogram' ? [] : [[metric.name, metric.samples[0]?.value]],
    ),
  );
}

it('the metrics tell what the spool has taken, of what, and who waits for room', () => {
  expect(spoolMetrics({ usedBytes: 900, limitBytes: 1000, waitingWrites: 2, writtenBytes: 0 })).toEqual({
    svcfs_mount_spool_bytes: 900,
    svcfs_mount_spool_limit_bytes: 1000,
    svcfs_mount_spool_writes_waiting: 2,
  });
  expect(spoolMetrics({ usedBytes: 900, limitBytes: null, waitingWrites: 0, writtenBytes: 0 })).toEqual({
    svcfs_mount_spool_bytes: 900,
    svcfs_mount_spool_writes_waiting: 0,
  });
});
