import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd } from './volume-world.ts';

let service: TestService;
let alice: TestUser;

beforeAll(async () => {
  service = await TestService.start({
    monitor: { host: '127.0.0.1', port: 0 },
    rateLimit: { requests: 100, seconds: 300 },
    workers: true,
  });
  alice = await service.user('alice');
});
afterAll(() => service.stop());

/** The value of a series, named as in the text; undefined where there is none. */
async function metric(series: string): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${service.monitorPort}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const count = (labels: string) => `svcfs_http_request_duration_seconds_count{${labels}}`;

describe('metrics', () => {
  test('count requests by method, route and status, whatever stands in the address', async () => {
    await alice.get('/files/one');
    await alice.get('/files/two?fields=id');
    await expect.poll(() => metric(count('method="GET",route="/v2/files/:file_id",status="404"'))).toBe(2);
    await alice.get('/nowhere/at/all');
    await expect.poll(() => metric(count('method="GET",route="none",status="404"'))).toBe(1);
  });

  test('tell of uploads, their bytes, and parts on their way', async () => {
    const { root_folder } = await alice.project('Measured');
    await alice.upload(root_folder, 'twelve', 'twelve bytes');
    const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name: 'x' })).body;
    expect(await metric('svcfs_uploads_open')).toBe(1);
    await alice.call('DELETE', `/upload/multipart/${upload_id}`);
    expect(await metric('svcfs_uploads_total{end="completed"}')).toBe(1);
    expect(await metric('svcfs_uploads_total{end="aborted"}')).toBe(1);
    expect(await metric('svcfs_uploaded_bytes_total')).toBe(12);
    expect(await metric('svcfs_storage_received_bytes_total')).toBe(12);
    expect(await metric('svcfs_parts_in_flight')).toBe(0);
    expect(await metric('svcfs_uploads_open')).toBe(0);
  });

  test('tell of jobs and how they ended', async () => {
    const { root_folder } = await alice.project('Jobs');
    const { id } = await alice.upload(root_folder, 'copied');
    await runToEnd(alice, '/async/files/copy', { items: [{ file: id, parent: root_folder, name: 'copy' }] });
    await expect.poll(() => metric('svcfs_job_duration_seconds_count{kind="copy",end="done"}')).toBe(1);
    expect(await metric('svcfs_job_takeovers_total')).toBe(0);
    expect(await metric('svcfs_jobs_oldest_waiting_seconds')).toBe(0);
  });

  test('count what the rate limit refuses', async () => {
    const bob = await service.user('bob');
    const statuses: number[] = [];
    for (let calls = 0; calls < 102; calls += 1) statuses.push((await bob.get('/user')).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect(await metric('svcfs_rate_limit_refusals_total')).toBe(2);
  });
});

test('the age of the oldest job that waits is told, and jobs by kind and state', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const idle = await TestService.start({ clock, monitor: { host: '127.0.0.1', port: 0 } });
  try {
    const carol = await idle.user('carol');
    const { root_folder } = await carol.project('Waiting');
    const { id } = await carol.upload(root_folder, 'waits');
    await carol.post('/async/files/copy', { items: [{ file: id, parent: root_folder, name: 'copy' }] });
    await clock.advance(90_000);
    const text = await (await fetch(`http://127.0.0.1:${idle.monitorPort}/metrics`)).text();
    expect(text).toContain('svcfs_jobs_oldest_waiting_seconds 90\n');
    expect(text).toContain('svcfs_jobs{kind="copy",state="SUBMITTED"} 1\n');
  } finally {
    await idle.stop();
  }
});

test('all but what is asked of the database is told while that is away', async () => {
  const lonely = await TestService.start({ monitor: { host: '127.0.0.1', port: 0 } });
  try {
    const read = () => fetch(`http://127.0.0.1:${lonely.monitorPort}/metrics`);
    expect(await (await read()).text()).toContain('svcfs_uploads_open 0\n');
    await lonely.services.store.close();
    const answer = await read();
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('svcfs_parts_in_flight 0\n');
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).not.toMatch(/^svcfs_(uploads_open|jobs_oldest_waiting_seconds) /m);
  } finally {
    await lonely.stop();
  }
});
