/** Named pipes and sockets: of one mount alone, and unknown to the platform. */
import { constants } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { DirectoryNode, Node, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, type WorldOptions } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const { S_IFIFO, S_IFSOCK, S_IFCHR, S_IFMT } = constants;

let world: ChangingWorld;
async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}
afterEach(() => world.end());

async function mknod(name: string, mode: number, parent: DirectoryNode = world.folder): Promise<Node> {
  return world.side.mutations.mknod({ parent, name }, mode, world.by());
}

async function mkdir(name: string, parent: DirectoryNode = world.folder): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

const withErrno = (errno: string) => (error: unknown) => errnoOf(error) === errno;

describe('a named pipe or a socket', () => {
  it.each([
    ['pipe', S_IFIFO],
    ['socket', S_IFSOCK],
  ])(
    'is there until it is removed, without a call of the platform, also after the TTL: a %s',
    async (_, type) => {
      const clock = new FakeClock();
      await start({ clock });
      for (const name of ['it', 'other']) await world.child(name);
      const { stats } = world.service.services;
      stats.reset();
      const made = await mknod('it', type | 0o600);
      const { mode, sizeBytes, nlink } = world.tree.attributesOf(made).attributes;
      expect({ type: mode & S_IFMT, bits: mode & 0o7777, sizeBytes, nlink }).toEqual({
        type,
        bits: 0o600,
        sizeBytes: 0,
        nlink: 1,
      });
      await world.side.mutations.setattr(made, { mode: 0o640 }, { handle: undefined, context: world.by() });
      expect(world.tree.attributesOf(made).attributes.mode & 0o7777).toBe(0o640);
      await world.rename('it', 'other');
      await clock.advance(3_600_000);
      expect(await world.child('other')).toBe(made);
      expect(stats.apiRequests).toBe(0);
      const names = (await world.tree.childrenOf(world.folder, world.by().signal)).map(({ name }) => name);
      expect(names).toEqual(['other']);
      await world.side.mutations.unlink({ parent: world.folder, name: 'other' }, world.by());
      expect(await world.child('other')).toBeUndefined();
      expect(await world.onPlatform()).toEqual({});
    },
  );

  it('is made in a volume as well', async () => {
    await start();
    const volume = await world.volume('bucket', { 'in/a': 'A' });
    const made = await mknod('pipe', S_IFIFO | 0o600, volume);
    world.tree.expire(volume);
    expect(await world.child('pipe', volume)).toBe(made);
    await world.rename('pipe', 'in', { parent: volume }).catch(() => undefined);
    expect(await world.child('pipe', volume)).toBe(made);
  });

  it('keeps its name when another client puts a file there, which is there when it is removed', async () => {
    await start();
    const made = await mknod('it', S_IFIFO | 0o600);
    await world.user.upload(folderIdOf(world.folder), 'it', 'theirs');
    world.tree.expire(world.folder);
    expect(await world.tree.childrenOf(world.folder, world.by().signal)).toEqual([made]);
    await world.side.mutations.unlink({ parent: world.folder, name: 'it' }, world.by());
    world.tree.expire(world.folder);
    expect(await world.cat('it')).toBe('theirs');
  });

  it('goes with its folder inside the project, and keeps that from being removed, moved to another project and replaced', async () => {
    await start();
    const run = await mkdir('run');
    const made = await mknod('pipe', S_IFIFO | 0o600, run);
    const sub = await mkdir('sub');
    await world.rename('run', 'ran', { toParent: sub });
    expect(await world.child('pipe', run)).toBe(made);
    await expect(world.side.mutations.rmdir({ parent: sub, name: 'ran' }, world.by())).rejects.toMatchObject({
      errno: 'ENOTEMPTY',
    });
    await mkdir('empty');
    await expect(world.rename('empty', 'ran', { toParent: sub })).rejects.toMatchObject({
      errno: 'ENOTEMPTY',
    });
    await expect(world.rename('sub', 'sub', { toParent: world.otherProject })).rejects.toMatchObject({
      errno: 'EBUSY',
      message: expect.stringContaining('pipe in ran'),
    });
    expect(await world.child('pipe', run)).toBe(made);
  });

  it('stays in its folder when that is exported', async () => {
    await start();
    const volume = await world.volume('bucket');
    const run = await mkdir('run');
    await world.put('f', 'text', run);
    const made = await mknod('pipe', S_IFIFO | 0o600, run);
    await world.rename('run', 'run', { toParent: volume });
    const left = (await world.child('run')) as ProjectFolderNode;
    expect(await world.child('pipe', left)).toBe(made);
    const names = Object.keys(await world.onVolume(volume));
    expect(names.filter((name) => name.startsWith('run/'))).toEqual(['run/f']);
  });

  it('keeps a folder that is exported with --after-export=remove', async () => {
    await start({ options: { afterExport: 'remove' } });
    const volume = await world.volume('bucket');
    const run = await mkdir('run');
    await world.put('f', 'text', run);
    const made = await mknod('pipe', S_IFIFO | 0o600, run);
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toSatisfy(withErrno('EBUSY'));
    expect(await world.child('pipe', run)).toBe(made);
    await world.side.mutations.unlink({ parent: run, name: 'pipe' }, world.by());
    await world.rename('run', 'run', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/f': 'text' });
  });

  it('is neither moved to another project nor exported: EPERM, with a reason', async () => {
    await start();
    const volume = await world.volume('bucket');
    const made = await mknod('pipe', S_IFIFO | 0o600);
    for (const toParent of [world.otherProject, volume])
      await expect(world.rename('pipe', 'pipe', { toParent })).rejects.toMatchObject({
        errno: 'EPERM',
        message: expect.stringContaining('of this mount'),
      });
    expect(await world.child('pipe')).toBe(made);
  });

  it('takes the place of a file, and a file takes its place', async () => {
    await start();
    await world.put('f', 'text');
    const made = await mknod('pipe', S_IFIFO | 0o600);
    await world.rename('pipe', 'f');
    expect(await world.child('f')).toBe(made);
    expect(await world.onPlatform()).toEqual({});
    await world.put('g', 'more');
    await world.rename('g', 'f');
    expect(await world.cat('f')).toBe('more');
    expect(await world.onPlatform()).toEqual({ f: 'more' });
  });

  it('is not made where a name is taken, and gives its name to no file that is created', async () => {
    await start();
    await world.put('f', 'text');
    await expect(mknod('f', S_IFIFO | 0o600)).rejects.toSatisfy(withErrno('EEXIST'));
    await mknod('pipe', S_IFIFO | 0o600);
    await expect(world.create('pipe')).rejects.toSatisfy(withErrno('ESTALE'));
    expect(await world.cat('f')).toBe('text');
  });

  it('is gone with its mount, and a device is never made: EPERM', async () => {
    await start();
    await mknod('pipe', S_IFIFO | 0o600);
    const file = await world.put('f', 'text');
    await world.close(await world.open(file, O_RDONLY));
    const next = await world.afterKill();
    expect(await next.child('pipe')).toBeUndefined();
    await next.end();
    await expect(mknod('device', S_IFCHR | 0o600)).rejects.toMatchObject({
      errno: 'EPERM',
      message: expect.stringContaining('device'),
    });
  });
});
