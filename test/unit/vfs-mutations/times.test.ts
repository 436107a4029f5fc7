/** Times that no pair of the platform keeps: this mount's own. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AttributeChanges } from '../../../src/vfs/file-system.ts';
import type { Node } from '../../../src/vfs/node.ts';
import { ChangingWorld } from '../../support/changing-world.ts';
import { FakeClock } from '../../support/fake-clock.ts';

let world: ChangingWorld;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  world = await ChangingWorld.start({ clock });
});
afterEach(() => world.end());

async function set(node: Node, changes: AttributeChanges): Promise<void> {
  await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
}

const timesOf = (node: Node) => world.tree.attributesOf(node).attributes;

it('a time of access is shown as it was set, for no request, and stays when the file is written', async () => {
  const node = await world.put('f', 'text');
  world.service.services.stats.reset();
  await set(node, { atimeNs: 7n });
  expect(world.service.services.stats.apiRequests).toBe(0);
  expect(timesOf(node)).toMatchObject({ atimeNs: 7n });
  await world.put('f', 'more text');
  expect(timesOf(node)).toMatchObject({ atimeNs: 7n });
});

it.each([
  ['its mode is set', (node: Node) => set(node, { mode: 0o600 })],
  ['a time is set', (node: Node) => set(node, { mtimeNs: 7n })],
  ['it gets another name', () => world.rename('f', 'g')],
])('the time of change moves when %s', async (_, change) => {
  const node = await world.put('f', 'text');
  const before = timesOf(node).ctimeNs;
  await clock.advance(10);
  await change(node);
  expect(timesOf(node).ctimeNs).toBeGreaterThan(before);
});
