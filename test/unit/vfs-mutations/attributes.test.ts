import { afterEach, describe, expect, it } from 'vitest';
import { readReservedPairs } from '../../../src/vfs/attributes/reserved-pairs.ts';
import type { AttributeChanges } from '../../../src/vfs/file-system.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../../../src/vfs/node.ts';
import { ChangingWorld, O_WRONLY, type WorldOptions } from '../../support/changing-world.ts';
import { FakeClock } from '../../support/fake-clock.ts';

let world: ChangingWorld;
async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}
afterEach(() => world.end());

function set(node: Node, changes: AttributeChanges): Promise<void> {
  return Promise.resolve(
    world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() }),
  );
}

/** Mode and time as the next mount will find them. */
async function kept(node: ProjectFileNode): Promise<object> {
  const record = await world.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? readReservedPairs(record.metadata) : {};
}

const JUNE = Date.UTC(2020, 5, 1);

describe('of a file', () => {
  it('keeps time and mode set before it is closed, with its publication', async () => {
    await start();
    const { node, handle } = await world.create('a');
    await world.write(handle, 'text');
    await set(node, { mode: 0o100755, mtimeMs: JUNE });
    await world.close(handle);
    expect(await kept(node)).toEqual({ mode: 0o755, mtimeMs: JUNE });
    expect(world.tree.attributesOf(node).attributes).toMatchObject({ mode: 0o100755, mtimeMs: JUNE });
  });

  it('writes time and mode of a published file together, a little later', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const node = await world.put('a', 'text');
    await set(node, { mtimeMs: JUNE });
    await set(node, { mode: 0o600 });
    expect(world.tree.attributesOf(node).attributes.mtimeMs).toBe(JUNE);
    expect(await kept(node)).toEqual({});
    world.service.services.stats.reset();
    await clock.advance(1000);
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(1);
    expect(await kept(node)).toEqual({ mode: 0o600, mtimeMs: JUNE });
  });

  it('sends them along with a rename', async () => {
    await start();
    const node = await world.put('.a.X1y2Z3', 'text');
    await world.put('a', 'old');
    await set(node, { mtimeMs: JUNE });
    await world.rename('.a.X1y2Z3', 'a');
    expect(await kept(node)).toEqual({ mtimeMs: JUNE });
    world.service.services.stats.reset();
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(0);
  });

  it('forgets a time that was set when content is written after it', async () => {
    await start();
    const node = await world.put('a', 'text');
    await set(node, { mtimeMs: JUNE });
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'T');
    await world.close(handle);
    expect(await kept(node)).toEqual({});
    expect(world.tree.attributesOf(node).attributes.mtimeMs).toBeGreaterThan(JUNE);
  });

  it('asks for nothing when nothing changes', async () => {
    await start();
    const node = await world.put('a', 'text');
    const { mode, mtimeMs } = world.tree.attributesOf(node).attributes;
    world.service.services.stats.reset();
    await set(node, { mode, mtimeMs, uid: 1000, gid: 1000 });
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(0);
  });

  it('has no other owner than the one who mounted', async () => {
    await start();
    const node = await world.put('a', 'text');
    await expect(set(node, { uid: 0 })).rejects.toMatchObject({ errno: 'EPERM' });
  });
});

it('keeps mode and time of a folder here', async () => {
  await start();
  const place = { parent: world.folder, name: 'sub' };
  const node = (await world.side.mutations.mkdir(place, 0o700, world.by())) as ProjectFolderNode;
  await set(node, { mtimeMs: JUNE });
  expect(world.tree.folderState.get(node.record!.id)).toEqual({ mode: 0o700, mtimeMs: JUNE });
  await world.rename('sub', 'moved');
  expect(world.tree.folderState.get(node.record!.id)).toEqual({ mode: 0o700, mtimeMs: JUNE });
});

describe('where nothing may be changed', () => {
  it('answers EROFS on a read-only mount', async () => {
    await start({ options: { readOnly: true } });
    await expect(world.create('a')).rejects.toMatchObject({ errno: 'EROFS' });
    const place = { parent: world.folder, name: 'd' };
    await expect(world.side.mutations.mkdir(place, 0o755, world.by())).rejects.toMatchObject({
      errno: 'EROFS',
    });
  });

  it('answers EACCES on a project without write permission', async () => {
    await start();
    const node = await world.put('a', 'text');
    const { project } = world.folder;
    project.record = { ...project.record!, permissions: { ...project.record!.permissions, write: false } };
    await expect(world.open(node, O_WRONLY)).rejects.toMatchObject({ errno: 'EACCES' });
    await expect(set(node, { mode: 0o600 })).rejects.toMatchObject({ errno: 'EACCES' });
    await expect(world.rename('a', 'b')).rejects.toMatchObject({ errno: 'EACCES' });
    const place = { parent: world.folder, name: 'a' };
    await expect(world.side.mutations.unlink(place, world.by())).rejects.toMatchObject({ errno: 'EACCES' });
  });
});
