/** An inode has one content and one lock as long as anybody needs them, however little is known of it otherwise. */
import { afterEach, describe, expect, it } from 'vitest';
import { ContentTable } from '../../../../src/vfs/model/content-table.ts';
import type { Node } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';
import { Gate } from '../../../support/gate.ts';

let world: ChangingWorld;
afterEach(() => world.end());

/** More than it takes to let go of a content. */
const MOST_TURNS = 20;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}

describe('a file that is opened while its last handle goes', () => {
  it.each([
    ['open(2)', (node: Node) => world.open(node, O_WRONLY | O_TRUNC)],
    ['open(2) with O_CREAT', async () => (await world.create('f', { flags: O_WRONLY | O_TRUNC })).handle],
  ])('has all that is written on the platform, whoever looks at it meanwhile: %s', async (_, open) => {
    world = await ChangingWorld.start();
    const node = await world.put('f', 'before');
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await world.put('f', 'before');
      const reader = await world.open(node, O_RDONLY);
      const released = world.side.openFiles.release(reader);
      await turns(turn);
      const writer = await open(node);
      await released;
      await world.write(writer, 'first ');
      await world.close(await world.open(node, O_RDONLY));
      await world.write(writer, `last ${turn}`, 6);
      await world.close(writer);
      expect(await world.onPlatform()).toEqual({ f: `first last ${turn}` });
    }
  });
});

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
