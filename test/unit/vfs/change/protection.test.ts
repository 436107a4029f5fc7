/** Mounts that keep what is on the platform: `--no-delete` and `--no-overwrite`. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import type { TreeOptions } from '../../../../src/vfs/model/tree.ts';
import { ChangingWorld, O_RDWR, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';

let world: ChangingWorld;
afterEach(() => world.end());

async function start(options: Partial<TreeOptions>): Promise<void> {
  world = await ChangingWorld.start({ options });
}

const REFUSED = { errno: 'EPERM' };
const place = (name: string) => ({ parent: world.folder, name });

async function unlink(name: string): Promise<void> {
  await world.side.mutations.unlink(place(name), world.by());
}

async function file(name: string): Promise<ProjectFileNode> {
  return (await world.child(name)) as ProjectFileNode;
}

describe('a mount that deletes nothing', () => {
  it('keeps files and folders of the platform, and says why', async () => {
    await start({ deletes: false });
    await world.put('a', 'text');
    await world.side.mutations.mkdir(place('folder'), 0o755, world.by());
    await expect(unlink('a')).rejects.toMatchObject({
      ...REFUSED,
      message: 'a stays: this mount removes nothing (--no-delete)',
    });
    const rmdir = async () => world.side.mutations.rmdir(place('folder'), world.by());
    await expect(rmdir()).rejects.toMatchObject(REFUSED);
    expect(await world.onPlatform()).toEqual({ a: 'text', folder: '/' });
  });

  it('removes what is only on this machine', async () => {
    await start({ deletes: false });
    const { open } = await world.side.openFiles.create(
      place('new'),
      { mode: 0o644, flags: O_WRONLY },
      world.by(),
    );
    await unlink('new');
    await world.close(open.handle);
    expect(await world.onPlatform()).toEqual({});
  });

  it('moves and replaces all the same', async () => {
    await start({ deletes: false });
    await world.put('a', 'text');
    await world.put('b', 'other');
    await world.rename('a', 'b');
    expect(await world.onPlatform()).toEqual({ b: 'text' });
  });
});

describe('a mount that overwrites nothing', () => {
  it.each([
    ['O_TRUNC', O_WRONLY | O_TRUNC],
    ['O_RDWR', O_RDWR],
  ])('refuses to open a file of the platform with %s', async (_, flags) => {
    await start({ overwrites: false });
    await world.put('a', 'text');
    await expect(world.open(await file('a'), flags)).rejects.toMatchObject(REFUSED);
    expect(await world.cat('a')).toBe('text');
  });

  it('cuts no file', async () => {
    await start({ overwrites: false });
    const node = await world.put('a', 'text');
    const cut = world.side.openFiles.truncate(node, 1, { handle: undefined, context: world.by() });
    await expect(cut).rejects.toMatchObject(REFUSED);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });

  it('renames over no file, and to free names', async () => {
    await start({ overwrites: false });
    await world.put('a', 'text');
    await world.put('b', 'other');
    await expect(world.rename('a', 'b')).rejects.toMatchObject(REFUSED);
    await world.rename('a', 'c');
    expect(await world.onPlatform()).toEqual({ b: 'other', c: 'text' });
  });

  it('takes a new file, and removes one', async () => {
    await start({ overwrites: false });
    await world.put('a', 'text');
    await unlink('a');
    await world.put('a', 'again');
    expect(await world.onPlatform()).toEqual({ a: 'again' });
  });
});
