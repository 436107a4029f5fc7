/** An inode has one content and one lock as long as anybody needs them, however little is known of it otherwise. */
import { afterEach, expect, it } from 'vitest';
import { ContentTable } from '../../../src/vfs/open/content-table.ts';
import { ChangingWorld } from '../../support/changing-world.ts';
import { Gate } from '../../support/gate.ts';

let world: ChangingWorld;
afterEach(() => world.end());

it('is not forgotten while somebody waits who needs it and another', async () => {
  world = await ChangingWorld.start();
  const [first, second] = [await world.put('a', 'a'), await world.put('b', 'b')];
  const table = new ContentTable();
  const busy = new Gate();
  const holding = table.of(first).lock.run(() => busy.opened);
  const content = table.of(second);
  let isLocked = false;
  const both = table.holding([second, first], async () => {
    isLocked = table.of(second).lock.busy;
  });
  // As when a reader has closed it.
  table.forget(content);
  expect(table.find(second)).toBe(content);
  busy.open();
  await Promise.all([holding, both]);
  expect(isLocked).toBe(true);
  expect(table.find(second)).toBeUndefined();
});
