/** A store that sends every request for bytes to another host, as Amazon S3 does for hours after a bucket was made. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FaultProxy, type SeenRequest } from '../support/fault-proxy.ts';
import { errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

/** Several parts, and many ranges. */
const BYTES = 50 * 1024 * 1024;

let world: FaultWorld;
let elsewhere: FaultProxy;
let local: string;

const isRange = ({ method, path }: SeenRequest): boolean => method === 'GET' && !path.startsWith('/v2/');
const isLink = ({ path }: SeenRequest): boolean => path.includes('download_info');
const isPart = ({ method }: SeenRequest): boolean => method === 'PUT';

beforeAll(async () => {
  world = await FaultWorld.start();
  elsewhere = await FaultProxy.start(world.origin);
  local = world.outside('local');
  await shell(`head -c ${BYTES} /dev/urandom > ${local}`);
});
afterEach(() => {
  world.proxy.heal();
  elsewhere.heal();
});
afterAll(async () => {
  await elsewhere?.close();
  await world?.clean();
});

it('a file is written through redirects, each part once', async () => {
  world.proxy.inject({ kind: 'redirect', to: elsewhere.origin }, { when: isPart });
  await mustRun('cp', [local, world.own('written')]);
  expect((await world.content('written')).equals(await readFile(local))).toBe(true);
  const parts = elsewhere.requests.filter(isPart).map(({ path }) => path);
  expect(parts.length).toBeGreaterThan(1);
  expect(new Set(parts).size).toBe(parts.length);
  expect(await world.leftovers()).toEqual([]);
});

it('a file is read through redirects, which are not met again for each range', async () => {
  await world.remount();
  world.proxy.inject({ kind: 'redirect', to: elsewhere.origin }, { when: isRange });
  await mustRun('cmp', [local, world.own('written')]);
  const redirected = world.proxy.requests.filter(isRange).length;
  const ranges = elsewhere.requests.filter(isRange).length;
  expect(redirected).toBeLessThanOrEqual(4);
  expect(ranges).toBeGreaterThan(20);
});

it('a link that the other host refuses is renewed', async () => {
  await world.remount();
  world.proxy.inject({ kind: 'redirect', to: elsewhere.origin }, { when: isRange });
  elsewhere.inject({ kind: 'answer', status: 403 }, { when: isRange, times: 1 });
  const before = world.proxy.requests.filter(isLink).length;
  await mustRun('cmp', [local, world.own('written')]);
  expect(world.proxy.requests.filter(isLink)).toHaveLength(before + 2);
});

it('redirects without an end are an input/output error that names the host, and not the signature', async () => {
  await world.remount();
  world.proxy.inject({ kind: 'redirect', to: world.proxy.origin }, { when: isRange });
  await expect(shell(`head -c 4096 ${world.own('written')}`)).rejects.toThrow('Input/output error');
  const error = await errorOf(world.own('written'));
  expect(error).toContain(`the store redirects in a circle: ${new URL(world.proxy.origin).host}`);
  expect(error).not.toMatch(/sig|expires/);
});
