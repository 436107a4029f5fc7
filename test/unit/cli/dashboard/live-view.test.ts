import { expect, it } from 'vitest';
import type { MountDetails, Overview } from '../../../../src/cli/dashboard/page-model.ts';
import { someStatistics } from '../some-statistics.ts';
import { first, openDashboard } from './open-dashboard.ts';
import { HALF_UPLOADED, SomeMounts, someStatus } from './some-mounts.ts';

it('shows that there is no mount, and one that begins', async () => {
  const { mounts, events } = await openDashboard();
  expect(await first<Overview>(events(), 'overview')).toMatchObject({
    mounts: [],
    kept: { files: { total: 0 } },
  });
  mounts.add('/home/ann/svc');
  const { mounts: there } = await first<Overview>(events(), 'overview', (told) => told.mounts.length === 1);
  expect(there).toMatchObject([{ mountPoint: '/home/ann/svc', health: 'well', state: 'idle' }]);
});

it('shows fifty mounts, and all of the one that is asked for', async () => {
  const mounts = new SomeMounts();
  for (let number = 0; number < 50; number += 1) mounts.add(`/mnt/${number}`);
  mounts.add('/mnt/busy', () => someStatus({ uploads: [HALF_UPLOADED] }));
  const { events } = await openDashboard({ mounts });
  const { mounts: all } = await first<Overview>(events(), 'overview', (told) => told.mounts.length === 51);
  const busy = all.find(({ mountPoint }) => mountPoint === '/mnt/busy');
  expect(busy).toMatchObject({ uploads: 1, state: '1 upload' });
  const details = await first<MountDetails>(events(`?mount=${busy?.id}`), 'mount');
  expect(details.transfers.first).toMatchObject([{ path: HALF_UPLOADED.label, sentBytes: 32 * 1024 * 1024 }]);
});

it('tells of a silent mount, and keeps showing the others', async () => {
  const mounts = new SomeMounts();
  mounts.add('/mnt/hung', () => Promise.reject(new Error('/mnt/hung: its process 7 has not answered')));
  mounts.add('/mnt/well');
  const { events } = await openDashboard({ mounts });
  const { mounts: all } = await first<Overview>(events(), 'overview', (told) => told.mounts.length === 2);
  expect(all).toMatchObject([
    { mountPoint: '/mnt/hung', health: 'fault', state: 'does not answer' },
    { mountPoint: '/mnt/well', health: 'well' },
  ]);
  const details = await first<MountDetails>(events(`?mount=${all[0]?.id}`), 'mount');
  expect(details.notices).toEqual([{ health: 'fault', text: '/mnt/hung: its process 7 has not answered' }]);
});

it('says what to do about a refused token', async () => {
  const mounts = new SomeMounts();
  const { api } = someStatistics();
  const statistics = someStatistics({ api: { ...api, tokenRefusedSinceMs: 0 } });
  mounts.add('/mnt', () => someStatus({ statistics }));
  const { events } = await openDashboard({ mounts });
  const details = await first<MountDetails>(events(), 'mount');
  expect(details).toMatchObject({ health: 'fault', notices: [{ remedy: 'svcfs login' }] });
  expect(details.state).toContain('token: refused since');
});

it('asks nothing while no page is open', async () => {
  const mounts = new SomeMounts();
  mounts.add('/mnt');
  const { ask, events } = await openDashboard({ mounts });
  expect((await ask('/')).status).toBe(404);
  expect(mounts.asked).toEqual([]);
  await first<MountDetails>(events(), 'mount');
  expect(mounts.asked[0]).toBe('status /mnt');
});
