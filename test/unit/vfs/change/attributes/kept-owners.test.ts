/** With `--owner kept` files belong to whom they were made by or given to. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderState } from '../../../../../src/vfs/attributes/folder-state-file.ts';
import { readReservedPairs, reservedPairs } from '../../../../../src/vfs/attributes/reserved-pairs.ts';
import type { AttributeChanges, RequestContext } from '../../../../../src/vfs/file-system.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { NodeMaker } from '../../../../../src/vfs/model/node-maker.ts';
import { ChangingWorld, O_WRONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start({ staging: true, options: { owner: 'kept', temporaryNames: ['*~'] } });
});
afterEach(() => world.end());

const EVE = { uid: 2001, gid: 3001 };
const byEve = (): RequestContext => ({ ...world.by(), ...EVE });
const ownerOf = (node: Node) => {
  const { uid, gid } = world.tree.attributesOf(node).attributes;
  return { uid, gid };
};
async function set(node: Node, changes: AttributeChanges): Promise<void> {
  await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
  await world.side.idle(world.by().signal);
}
/** As another mount finds it. */
async function stored(node: ProjectFileNode): Promise<object | undefined> {
  const record = await world.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? readReservedPairs(record.metadata).owner : undefined;
}
async function made(name: string, text: string): Promise<ProjectFileNode> {
  const { node, handle } = await world.create(name, { by: byEve() });
  await world.write(handle, text);
  await world.close(handle);
  return node;
}
const mkdir = async (name: string, mode = 0o755) =>
  (await world.side.mutations.mkdir({ parent: world.folder, name }, mode, byEve())) as ProjectFolderNode;

describe('a file', () => {
  it('belongs to the process that made it, also on the platform and after others wrote it', async () => {
    const node = await made('f', 'text');
    expect(ownerOf(node)).toEqual(EVE);
    expect(await stored(node)).toEqual(EVE);
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'T');
    await world.close(handle);
    expect([ownerOf(node), await stored(node)]).toEqual([EVE, EVE]);
    const place = { parent: world.folder, name: 'node' };
    const other = await world.side.mutations.mknod(place, 0o100_644, byEve());
    expect(ownerOf(other)).toEqual(EVE);
    const link = await world.side.mutations.symlink({ ...place, name: 'link' }, 'f', byEve());
    expect([ownerOf(link), await stored(link as ProjectFileNode)]).toEqual([EVE, EVE]);
  });

  it('belongs to the one it was given to, in whole or in part', async () => {
    const node = await world.put('f', 'text');
    await set(node, { uid: 7 });
    expect(ownerOf(node)).toEqual({ uid: 7, gid: 1000 });
    await set(node, { gid: 8, mode: 0o640 });
    expect(await stored(node)).toEqual({ uid: 7, gid: 8 });
    expect(world.tree.attributesOf(node).attributes.mode).toBe(0o100_640);
    expect(world.tree.unkept.snapshot()).toEqual({ owner: 0, mode: 0, time: 0 });
  });

  it('keeps its own owner when it takes the name of another', async () => {
    await world.put('old', 'text');
    const node = await made('new', 'newer');
    await world.rename('new', 'old');
    expect([ownerOf(node), await stored(node)]).toEqual([EVE, EVE]);
  });

  it('that the platform copies belongs to who copies it', async () => {
    const source = await made('f', 'text');
    await world.copy(source, 'copy', world.folder);
    const copy = (await world.child('copy')) as ProjectFileNode;
    expect([ownerOf(copy), await stored(copy)]).toEqual([
      { uid: 1000, gid: 1000 },
      { uid: 1000, gid: 1000 },
    ]);
  });

  it('that nobody gave an owner belongs to the user who mounted', async () => {
    const { rootFolder } = world.folder.project.record!;
    await world.user.upload(rootFolder, 'theirs', 'text');
    expect(ownerOf((await world.child('theirs'))!)).toEqual({ uid: 1000, gid: 1000 });
  });

  it('loses the set-user-ID bit with its owner', async () => {
    const node = await made('f', 'text');
    await set(node, { mode: 0o6755 });
    await set(node, { uid: 7, killSuidgid: true });
    expect(world.tree.attributesOf(node).attributes).toMatchObject({ mode: 0o100_755, uid: 7 });
  });
});

describe('a folder', () => {
  it('belongs to the process that made it, and to the one it was given to, in local state', async () => {
    const node = await mkdir('d');
    expect([ownerOf(node), world.tree.folderState.get(node.record!.id)]).toEqual([EVE, { owner: EVE }]);
    await set(node, { uid: 7 });
    await world.rename('d', 'moved');
    expect(ownerOf(node)).toEqual({ uid: 7, gid: 3001 });
    expect(world.tree.folderState.get(node.record!.id)).toEqual({ owner: { uid: 7, gid: 3001 } });
  });

  it('of a project as a whole is given away as any other, and stays so', async () => {
    await set(world.folder, { uid: 7, mode: 0o2770 });
    expect(ownerOf(world.folder)).toEqual({ uid: 7, gid: 1000 });
    const make = new NodeMaker(world.tree.nodes, world.tree.folderState);
    const again = make.projectFolder(
      { parent: world.tree.root, name: 'one' },
      world.folder.project,
      undefined,
    );
    expect(world.tree.attributesOf(again).attributes).toMatchObject({ uid: 7, mode: 0o042_770 });
  });

  it('with the set-group-ID bit gives its group to what is made in it, and its bit to folders', async () => {
    const parent = await mkdir('d', 0o755);
    await set(parent, { gid: 99, mode: 0o2775 });
    const { node } = await world.create('f', { parent, by: byEve() });
    const place = { parent, name: 'sub' };
    const sub = await world.side.mutations.mkdir(place, 0o755, byEve());
    expect([ownerOf(node), ownerOf(sub)]).toEqual([
      { uid: 2001, gid: 99 },
      { uid: 2001, gid: 99 },
    ]);
    expect(world.tree.attributesOf(sub).attributes.mode).toBe(0o042_755);
  });
});

it('the owner of what is on a volume is kept while it exists only in this mount', async () => {
  const volume = await world.volume('bucket');
  const { node, handle } = await world.create('f~', { parent: volume, by: byEve() });
  await world.write(handle, 'text');
  await world.close(handle);
  const local = await world.side.mutations.mkdir({ parent: volume, name: 'd' }, 0o755, byEve());
  expect([ownerOf(node), ownerOf(local)]).toEqual([EVE, EVE]);
  await set(node, { uid: 7 });
  expect(ownerOf(node)).toEqual({ uid: 7, gid: 3001 });
  await world.rename('f~', 'f', { parent: volume });
  expect(ownerOf((await world.child('f', volume))!)).toEqual({ uid: 1000, gid: 1000 });
});

describe('the pair of an owner', () => {
  it('is read as it was written', () => {
    const owner = { uid: 0, gid: 2 ** 32 - 2 };
    expect(reservedPairs({ owner })).toEqual({ 'svcfs.owner': '0:4294967294' });
    expect(readReservedPairs(reservedPairs({ owner }))).toEqual({ owner });
  });

  it.each(['root:root', '1:', ':1', '-1:1', '1:4294967295', '1:1:1', ''])('that is %j is nobody', (pair) => {
    expect(readReservedPairs({ 'svcfs.owner': pair })).toEqual({});
  });
});

it('owners of folders are there in the next mount', async () => {
  const path = `${world.service.dataDir}/folders.json`;
  const state = await openFolderState(path);
  state.set('id', { owner: EVE, mode: 0o700 });
  await state.flush();
  expect((await openFolderState(path)).get('id')).toEqual({ owner: EVE, mode: 0o700 });
});
