/** A folder is renamed, and the platform is done with it a while before anyone is told. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import { attempt, FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: ['--metadata-ttl', '0.5'] });
});
afterAll(() => world?.clean());

it('a folder that is looked up while its mv waits for the end of the job has all that was in it', async () => {
  const [old, now] = [world.own('old'), world.own('now')];
  await shell(`mkdir ${old} && echo text > ${old}/file`);
  world.proxy.inject({ kind: 'latency', ms: 3000 }, { when: ({ path }) => /async.files.move./.test(path) });
  const moving = new BackgroundProcess('mv', [old, now]);
  onTestFinished(() => moving.end());
  await waitUntil(async () => (await world.files()).includes('now'));
  // Once the kernel asks anew, it is answered when the folder has its new name.
  await waitUntil(async () => (await attempt('stat', [`${old}/file`])).code !== 0);
  expect(await moving.exited()).toBe(0);
  world.proxy.heal();
  expect(await shell(`ls ${now}; cat ${now}/file`)).toBe('file\ntext\n');
});
