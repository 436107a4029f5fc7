import { constants } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import type { AttributeChanges } from '../../../../../src/vfs/file-system.ts';
import type { Node, ProjectFileNode } from '../../../../../src/vfs/model/node.ts';
import type { TreeOptions } from '../../../../../src/vfs/model/tree.ts';
import { ChangingWorld, O_WRONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
async function start(options: Partial<TreeOptions> = {}): Promise<void> {
  world = await ChangingWorld.start({ options });
}
afterEach(() => world.end());

async function set(node: Node, changes: AttributeChanges): Promise<void> {
  await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
}

/** A new file with text in it; `change` comes before it is closed. */
async function made(
  mode: number,
  change?: (node: ProjectFileNode) => Promise<void>,
): Promise<{ readonly shown: number; readonly pairs: object; readonly node: ProjectFileNode }> {
  const place = { parent: world.folder, name: 'f' };
  const { node, open } = await world.side.openFiles.create(place, { mode, flags: O_WRONLY }, world.by());
  await world.write(open.handle, 'text');
  const file = node as ProjectFileNode;
  await change?.(file);
  await world.close(open.handle);
  return { shown: shownMode(node), pairs: file.record?.metadata ?? {}, node: file };
}

const shownMode = (node: Node) => world.tree.attributesOf(node).attributes.mode & 0o7777;

it('a mode that a file is made with is shown by this mount, for no pair where only who mounted gets to it', async () => {
  await start();
  expect(await made(0o600)).toMatchObject({ shown: 0o600, pairs: {} });
});

it('a mode that a file is made with is kept with --allow-other', async () => {
  await start({ allowOther: true });
  expect(await made(0o600)).toMatchObject({ shown: 0o600, pairs: { 'svcfs.mode': '600' } });
});

it('a file that is made with the usual mode, or gets that before it is closed, has no pair', async () => {
  await start();
  expect(await made(0o644)).toMatchObject({ shown: 0o644, pairs: {} });
  await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
  const change = (node: ProjectFileNode) => set(node, { mode: 0o100_644 });
  expect(await made(0o600, change)).toMatchObject({ shown: 0o644, pairs: {} });
});

it('bits that let a program run as another user go with the owner, and when the kernel says so', async () => {
  await start({ owner: 'kept' });
  const { node } = await made(0o755);
  await set(node, { mode: 0o106_755 });
  expect(shownMode(node)).toBe(0o6755);
  await set(node, { uid: 7 });
  expect(shownMode(node)).toBe(0o755);
  await set(node, { mode: 0o106_745 });
  await set(node, { killSuidgid: true });
  expect(shownMode(node)).toBe(0o2745);
});

it.each([
  ['a pipe', constants.S_IFIFO],
  ['a socket', constants.S_IFSOCK],
])(
  'bits that let a program run as another user go with the owner of %s, and stay on a folder',
  async (_, type) => {
    await start({ owner: 'kept' });
    const { mutations } = world.side;
    const special = await mutations.mknod({ parent: world.folder, name: 'it' }, type | 0o644, world.by());
    await set(special, { mode: 0o6755 });
    await set(special, { uid: 7 });
    expect(shownMode(special)).toBe(0o755);
    const folder = await mutations.mkdir({ parent: world.folder, name: 'd' }, 0o755, world.by());
    await set(folder, { mode: 0o6755 });
    await set(folder, { uid: 7 });
    expect(shownMode(folder)).toBe(0o6755);
  },
);
