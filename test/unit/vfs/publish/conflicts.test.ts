/** `--conflict=fail` of files that are new here: another client takes the name before the close. */
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { folderIdOf, type Node, type VolumeDirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ChangingWorld;
afterEach(() => world.end());

const stale = { errno: 'ESTALE' };

/** The bytes that `svcfs recover` names. */
async function keptBytes(path: string): Promise<string> {
  const { text = '' } = world.tree.errors.lastAt(path) ?? {};
  return readFile(/kept at (\S+)/.exec(text)?.[1] ?? '', 'utf8');
}

describe('with --conflict=fail a new file', () => {
  const options = { conflict: 'fail' } as const;

  it.each([
    { how: 'in one call', only: {} },
    { how: 'in parts', only: { capabilities: [] } },
  ])('leaves the name to another client that took it before the close: sent $how', async ({ only }) => {
    world = await ChangingWorld.start({ options, ...only });
    const { handle } = await world.create('a');
    await world.write(handle, 'ours');
    await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
    await expect(world.close(handle)).rejects.toMatchObject(stale);
    expect(await world.onPlatform()).toEqual({ a: 'theirs' });
    expect(await world.cat('a')).toBe('theirs');
    expect(await keptBytes('/one/a')).toBe('ours');
    expect(await world.writer.keptAside()).toMatchObject([{ label: '/one/a' }]);
  });

  it('that the platform would copy leaves the name to another client, too', async () => {
    world = await ChangingWorld.start({ options });
    const from = await world.open(await world.put('from', 'ours'), O_RDONLY);
    const { handle } = await world.create('a');
    await world.side.openFiles.copyFileRange(
      { handle: from, offset: 0 },
      { handle, offset: 0 },
      { length: 100, context: world.by() },
    );
    await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
    await expect(world.close(handle)).rejects.toMatchObject(stale);
    await world.close(from);
    expect(await world.onPlatform()).toEqual({ a: 'theirs', from: 'ours' });
  });

  it('is kept aside when its upload follows the close', async () => {
    world = await ChangingWorld.start({ options: { ...options, writeBack: true } });
    const { handle } = await world.create('a');
    await world.write(handle, 'ours');
    await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
    await world.close(handle);
    await waitUntil(async () => (await world.writer.keptAside()).length === 1);
    expect(await world.side.flush('/', world.by().signal)).toMatchObject([
      { message: expect.stringContaining('/one/a') },
    ]);
    expect(await world.onPlatform()).toEqual({ a: 'theirs' });
  });

  it('is published, written on and written anew when nobody else takes the name', async () => {
    world = await ChangingWorld.start({ options });
    const { node, handle } = await world.create('a');
    await world.write(handle, 'one');
    await world.side.openFiles.flush(handle, world.by());
    await world.write(handle, 'two', 3);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'onetwo' });
    const again = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(again, 'new');
    await world.close(again);
    expect(await world.onPlatform()).toEqual({ a: 'new' });
  });

  it('takes the place of a file that it is renamed over', async () => {
    world = await ChangingWorld.start({ options });
    await world.put('a', 'old');
    const { handle } = await world.create('tmp');
    await world.write(handle, 'new');
    await world.rename('tmp', 'a');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'new' });
  });
});

describe('with --conflict=fail what is written on a volume', () => {
  let volume: VolumeDirectoryNode;

  async function start(): Promise<void> {
    world = await ChangingWorld.start({ options: { conflict: 'fail' }, staging: true });
    volume = await world.volume('v');
  }

  it('leaves the name to another client that took it before the close', async () => {
    await start();
    const { handle } = await world.create('a', { parent: volume });
    await world.write(handle, 'ours');
    await world.putObject(volume, 'a', 'theirs');
    await expect(world.close(handle)).rejects.toMatchObject(stale);
    expect(await world.onVolume(volume)).toMatchObject({ a: 'theirs' });
    expect(await world.onPlatform(world.otherProject)).toEqual({});
  });

  it('does not replace the object that another client wrote since', async () => {
    await start();
    await world.putObject(volume, 'a', 'old');
    const handle = await world.open((await world.child('a', volume)) as Node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'ours');
    await world.putObject(volume, 'a', 'theirs');
    await expect(world.close(handle)).rejects.toMatchObject(stale);
    expect(await world.onVolume(volume)).toMatchObject({ a: 'theirs' });
  });
});
