/** Another client has moved or renamed a file since this mount was told of it: a file keeps its id then. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  folderIdOf,
  type Node,
  type ProjectFileNode,
  type ProjectFolderNode,
} from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, type WorldOptions, withMethods } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { Gate } from '../../../../support/gate.ts';

/** Facts are no longer fresh then, and still count. Names asked for so far apart are asked for one by one. */
const A_WHILE_MS = 6_000;

let world: ChangingWorld;

let clock: FakeClock;

let archive: ProjectFolderNode;

async function start(options?: WorldOptions): Promise<void> {
  clock = new FakeClock();
  world = await ChangingWorld.start({ clock, ...options });
  const place = { parent: world.folder, name: 'archive' };
  archive = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
  await clock.advance(A_WHILE_MS);
}

afterEach(() => world.end());

/** A rename opens `begun`, and is done when `gate` is opened. */
async function startWithSlowRenames(): Promise<{ readonly begun: Gate; readonly gate: Gate }> {
  const [begun, gate] = [new Gate(), new Gate()];
  await start({
    api: (api) =>
      withMethods(api, {
        files: withMethods(api.files, {
          edit: async (...given) => {
            begun.open();
            await gate.opened;
            return api.files.edit(...given);
          },
        }),
      }),
  });
  return { begun, gate };
}

/** By another client, a while ago. */
async function movedElsewhere(node: Node, to: { parent?: ProjectFolderNode; name: string }): Promise<void> {
  if (node.kind !== 'project-file' || !node.record) throw new Error('not on the platform');
  const parent = folderIdOf(to.parent ?? world.folder);
  await world.user.post(`/files/${node.record.id}/actions/move`, { parent, name: to.name });
  await clock.advance(A_WHILE_MS);
}

function unlink(name: string): Promise<unknown> {
  return Promise.resolve(world.side.mutations.unlink({ parent: world.folder, name }, world.by()));
}

describe('rm', () => {
  it('does not delete what another client moved elsewhere', async () => {
    await start();
    await movedElsewhere(await world.put('a', 'kept'), { parent: archive, name: 'a' });
    await expect(unlink('a')).rejects.toMatchObject({ errno: 'ENOENT' });
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  });

  it('does not delete what another client moved elsewhere, though its mode was sent just now', async () => {
    await start();
    const node = await world.put('a', 'kept');
    await movedElsewhere(node, { parent: archive, name: 'a' });
    const how = { handle: undefined, context: world.by() };
    await world.side.mutations.setattr(node, { mode: 0o700 }, how);
    await world.side.idle(world.by().signal);
    await expect(unlink('a')).rejects.toMatchObject({ errno: 'ENOENT' });
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  });

  it('deletes what another client has put under the name', async () => {
    await start();
    await movedElsewhere(await world.put('a', 'kept'), { parent: archive, name: 'a' });
    await world.user.upload(folderIdOf(world.folder), 'a', 'another');
    await unlink('a');
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
    expect(await world.onPlatform()).toEqual({ archive: '/' });
  });

  it('asks about many files of a folder together', async () => {
    await start();
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    for (const name of names) await world.put(name, name);
    await clock.advance(A_WHILE_MS);
    const { stats } = world.service.services;
    stats.reset();
    for (const name of names) await unlink(name);
    // Each its own, two on their own, and the rest in one.
    expect(stats.apiRequests).toBe(names.length + 3);
  });

  it('waits for a rename that is under way, and does not delete what has another name by then', async () => {
    const { begun, gate } = await startWithSlowRenames();
    await world.put('a', 'kept');
    const renaming = world.rename('a', 'b');
    await begun.opened;
    const removing = unlink('a');
    gate.open();
    await renaming;
    await expect(removing).rejects.toMatchObject({ errno: 'ENOENT' });
    expect(await world.onPlatform()).toEqual({ archive: '/', b: 'kept' });
  });

  it('of a draft leaves alone what it was renamed over and is elsewhere by now', async () => {
    await start();
    const old = await world.put('a', 'kept');
    const { handle } = await world.create('a.new');
    await world.write(handle, 'new');
    await world.rename('a.new', 'a');
    await movedElsewhere(old, { parent: archive, name: 'a' });
    await unlink('a');
    await world.close(handle);
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  });
});

describe('truncate(2)', () => {
  const truncate = (node: Node | undefined, sizeBytes: number): Promise<void> =>
    world.side.openFiles.truncate(node as ProjectFileNode, sizeBytes, {
      handle: undefined,
      context: world.by(),
    }) as Promise<void>;

  it('cuts what has the name now, and leaves what another client moved elsewhere as it is', async () => {
    await start();
    const node = await world.put('a', 'kept');
    await movedElsewhere(node, { parent: archive, name: 'a' });
    await world.user.upload(folderIdOf(world.folder), 'a', 'another');
    // Then the kernel looks its name up again.
    await expect(truncate(node, 3)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'another' });
    await truncate(await world.child('a'), 3);
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'ano' });
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  });
});
