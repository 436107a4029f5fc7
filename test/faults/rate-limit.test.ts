/** A limit on requests slows programs down, and fails none. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start({ serveArgs: ['--rate-limit', '20/2'] });
});
afterAll(() => world?.clean());

const FILES = 15;

it('everything succeeds, if later, when the limit is reached again and again', async () => {
  const local = world.outside('tree');
  await shell(`mkdir ${local}; for i in $(seq ${FILES}); do seq $i > ${local}/$i; done`);
  await shell(`cp -r ${local} ${world.own('tree')}`);
  await shell(`setfattr -n user.sample -v s1 ${world.own('tree')}/*`);
  await world.remount();
  await shell(`diff -r ${local} ${world.own('tree')}`);
  const values = await shell(`getfattr --only-values -n user.sample ${world.own('tree')}/*`);
  expect(values).toBe('s1'.repeat(FILES));
  await shell(`rm -r ${world.own('tree')}`);
  expect(world.proxy.requests.length).toBeGreaterThan(3 * FILES);
  expect(await world.files()).toEqual([]);
  expect(await world.leftovers()).toEqual([]);
});
