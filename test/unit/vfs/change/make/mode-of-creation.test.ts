import { constants } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import type { AttributeChanges } from '../../../../../src/vfs/file-system.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
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

it('a mode that a program sets has a pair, also when the file was made with it', async () => {
  await start();
  const change = (node: ProjectFileNode) => set(node, { mode: 0o100_600 });
  const { node } = await made(0o600, change);
  expect(node.record?.metadata).toEqual({ 'svcfs.mode': '600' });
  await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
  const { node: closed } = await made(0o600);
  await change(closed);
  expect(closed.record?.metadata).toEqual({ 'svcfs.mode': '600' });
});

it('a mode that a file is made with and a time of access go along to another project', async () => {
  await start();
  const { node } = await made(0o600);
  await set(node, { atimeNs: 7n });
  await world.rename('f', 'g', { toParent: world.otherProject });
  const moved = (await world.child('g', world.otherProject)) as Node;
  expect(shownMode(moved)).toBe(0o600);
  expect(world.tree.attributesOf(moved).attributes.atimeNs).toBe(7n);
});

it('modes of all folders, and those that files were made with, go along to another project with a folder', async () => {
  await start();
  const { mutations } = world.side;
  const run = await mutations.mkdir({ parent: world.folder, name: 'run' }, 0o700, world.by());
  const inner = await mutations.mkdir({ parent: run as ProjectFolderNode, name: 'inner' }, 0o711, world.by());
  const place = { parent: inner as ProjectFolderNode, name: 'f' };
  const { open } = await world.side.openFiles.create(place, { mode: 0o600, flags: O_WRONLY }, world.by());
  await world.write(open.handle, 'text');
  await world.close(open.handle);
  await world.rename('run', 'moved', { toParent: world.otherProject });
  let at: Node = world.otherProject;
  const modes: number[] = [];
  for (const name of ['moved', 'inner', 'f']) {
    at = (await world.child(name, at as ProjectFolderNode)) as Node;
    modes.push(shownMode(at));
  }
  expect(modes).toEqual([0o700, 0o711, 0o600]);
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
