import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request, TestService } from './test-service.ts';

const SERVICE = new URL('../../src/service/', import.meta.url);
const PAGE = readFileSync(new URL('CALLS.md', SERVICE), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| `([A-Z]+ \/v2\S*)` \| \w+ \| (\S+) \| (\S+) \|$/gm)];

let service: TestService;

beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

test('the page of calls names exactly those that are served, each once', async () => {
  const { body } = await request('GET', `${service.url}/openapi.json`);
  const served = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(ROWS.map(([, call]) => call).sort()).toEqual(served.sort());
});

test('the routes and tests that the page names are there', () => {
  const files = ROWS.flatMap(([, , route, file]) => [
    new URL(`./${route}`, SERVICE),
    new URL(`./${file}`, import.meta.url),
  ]);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file)).map(String)).toEqual([]);
});

test('the tests that the page names for the rules are there', () => {
  const rules = PAGE.slice(PAGE.indexOf('## Every rule'), PAGE.indexOf('## Left open'));
  const named = [...rules.matchAll(/[\w/-]+\.(?:test\.ts|py)|contract-check\.ts/g)].map(([name]) => name);
  expect(new Set(named).size).toBeGreaterThan(20);
  const places = [new URL('./', import.meta.url), new URL('../', import.meta.url)];
  const missing = named.filter((name) => !places.some((place) => existsSync(new URL(name, place))));
  expect(missing).toEqual([]);
});

test('the page of calls tells what each capability adds that the service announces', async () => {
  const { body } = await request('GET', service.url);
  const told = [...PAGE.matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, name]) => name);
  expect(told.sort()).toEqual([...body.capabilities].sort());
});
