import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { request, TestService } from './test-service.ts';

const services: TestService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

async function start(...options: Parameters<typeof TestService.start>): Promise<TestService> {
  const service = await TestService.start(...options);
  services.push(service);
  return service;
}

function outside(service: TestService, path: string): string {
  return service.url.replace('/v2', path);
}

describe('a process that serves', () => {
  test('is alive and ready, and says so without a token', async () => {
    const service = await start();
    expect(await request('GET', outside(service, '/healthz'))).toMatchObject({
      status: 200,
      body: { status: 'alive' },
    });
    expect(await request('GET', outside(service, '/readyz'))).toMatchObject({
      status: 200,
      body: {
        status: 'ready',
        checks: { database: 'ok', migrations: 'ok', blobs: 'ok', process: 'ok' },
      },
    });
  });

  test('is not ready when its blobs are out of reach, but alive', async () => {
    const service = await start();
    const uploads = join(service.dataDir, 'storage', 'uploads');
    await rename(uploads, `${uploads}-away`);
    const { status, body } = await request('GET', outside(service, '/readyz'));
    expect([status, body.status, body.checks.blobs]).toEqual([503, 'not ready', 'unreachable']);
    expect((await request('GET', outside(service, '/healthz'))).status).toBe(200);
  });

  test('is not ready when the database lacks a migration, as after an old backup was restored', async () => {
    const service = await start();
    const { store } = service.services;
    const isCurrent = store.isCurrent.bind(store);
    expect(await isCurrent()).toBe(true);
    store.isCurrent = async () => false;
    const { status, body } = await request('GET', outside(service, '/readyz'));
    expect([status, body.checks.migrations]).toEqual([503, 'missing']);
  });

  test('looks anew after a second, also when its clock was set back', async () => {
    const clock = new FakeClock();
    const service = await start({ clock });
    const ready = async () => (await request('GET', outside(service, '/readyz'))).status;
    expect(await ready()).toBe(200);
    service.services.store.isCurrent = async () => false;
    clock.set(-3_600_000);
    expect(await ready()).toBe(200);
    await clock.advance(1000);
    expect(await ready()).toBe(503);
  });

  test('is not ready when its database is gone', async () => {
    const service = await start();
    service.services.store.isCurrent = () => Promise.reject(new Error('gone'));
    const { status, body } = await request('GET', outside(service, '/readyz'));
    expect([status, body.checks.database]).toEqual([503, 'unreachable']);
    expect(JSON.stringify(body)).not.toContain('gone');
  });
});

describe('the monitor', () => {
  test('tells health and metrics at an address of its own, and the service tells no metrics', async () => {
    const service = await start({ monitor: { host: '127.0.0.1', port: 0 } });
    const monitor = `http://127.0.0.1:${service.monitorPort}`;
    expect((await request('GET', `${monitor}/readyz`)).body.status).toBe('ready');
    const metrics = await fetch(`${monitor}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('nodejs_eventloop_lag_seconds');
    expect((await request('GET', outside(service, '/metrics'))).status).toBe(404);
  });
});
