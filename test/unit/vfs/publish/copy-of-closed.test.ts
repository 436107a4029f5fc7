/** `cp` of a file that was closed and is not uploaded yet, to a volume that takes only what the platform copies. */
import { afterEach, expect, it } from 'vitest';
import { ChangingWorld, O_RDONLY } from '../../../support/changing-world.ts';
import { HeldUploads, refusal } from '../../../support/held-uploads.ts';

let world: ChangingWorld;
let uploads: HeldUploads;
afterEach(() => world.end());

async function start(): Promise<void> {
  uploads = new HeldUploads();
  world = await ChangingWorld.start({ options: { writeBack: true }, api: (api) => uploads.over(api) });
  uploads.held = true;
}

it('waits until it is uploaded', async () => {
  await start();
  const volume = await world.volume('v');
  const copying = world.copy(await world.put('f', 'text'), 'g', volume);
  (await uploads.nth(1)).pass();
  await copying;
  expect(await world.onVolume(volume)).toMatchObject({ g: 'text' });
});

it('fails with what keeps that from being uploaded', async () => {
  await start();
  const volume = await world.volume('v');
  const from = { handle: await world.open(await world.put('f', 'text'), O_RDONLY), offset: 0 };
  const to = { handle: (await world.create('g', { parent: volume })).handle, offset: 0 };
  const how = { length: 4, context: world.by() };
  const copying = expect(world.side.openFiles.copyFileRange(from, to, how)).rejects.toBe(refusal);
  // The one that follows the close, and the one that the copy asks for.
  for (const nth of [1, 2]) (await uploads.nth(nth)).refuse();
  await copying;
});
