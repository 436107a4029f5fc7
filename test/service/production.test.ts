import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVE_OPTIONS } from '../../src/config/serve-options.ts';
import { ServiceMetrics } from '../../src/service/operations/monitoring/service-metrics.ts';
import { watchServices } from '../../src/service/watch-services.ts';
import { TestService } from './test-service.ts';

const SERVICE = new URL('../../src/service/', import.meta.url);
const PAGE = readFileSync(new URL('PRODUCTION.md', SERVICE), 'utf8');
const FILES = readdirSync(new URL('operations/production/', SERVICE)).map((name) => ({
  name,
  text: readFileSync(new URL(`operations/production/${name}`, SERVICE), 'utf8'),
}));

test('the page and its files name only variables and options that the program has', () => {
  const options = Object.values(SERVE_OPTIONS);
  const variables = options.map((option) => ('environment' in option ? option.environment : undefined));
  const named = [PAGE, ...FILES.map(({ text }) => text)].flatMap(
    (text) => text.match(/SVCFS_[A-Z_]+/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !variables.includes(name) && name !== 'SVCFS_BLOBS')).toEqual([]);
  const flags = options.map(({ flags: text }) => text.split(' ')[0]);
  const given = [...PAGE.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag);
  expect(given.filter((flag) => flag !== '--no-owner' && !flags.includes(flag ?? ''))).toEqual([]);
});

test('the page names every metric of the service, and no other', async () => {
  const service = await TestService.start();
  try {
    const metrics = new ServiceMetrics();
    watchServices({ ...service.services, metrics });
    const there = metrics.registry.getMetricsAsArray().map(({ name }) => name);
    const own = there.filter((name) => name.startsWith('svcfs_'));
    const told = [...PAGE.matchAll(/`(svcfs_\w+)`/g)].map(([, name]) => name);
    expect(told.sort()).toEqual(own.sort());
    const ofNode = [...PAGE.matchAll(/`((?:nodejs|process)_\w+)`/g)].map(([, name = '']) => name);
    expect(ofNode.filter((name) => !there.includes(name))).toEqual([]);
  } finally {
    await service.stop();
  }
});

test.each(FILES.filter(({ name }) => name.endsWith('.service')))(
  '$name is started again however long the database is away',
  ({ text }) => {
    // systemd.unit(5): by default a unit that starts more than 5 times in 10 s is given up.
    expect(Number(/^RestartSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(10 / 5);
    expect(text).toMatch(/^Restart=on-failure$/m);
  },
);
