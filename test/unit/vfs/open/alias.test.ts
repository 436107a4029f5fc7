/** An alias shows the object behind it, which others replace in its bucket. */
import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import type { ProjectFileNode, VolumeDirectoryNode } from '../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  withMethods,
} from '../../../support/changing-world.ts';
import { rangeBytes, rangeHead, startRawServer } from '../../../support/raw-http-server.ts';

const { O_APPEND } = constants;

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
beforeEach(async () => {
  world = await ChangingWorld.start();
  volume = await world.volume('bucket', { object: 'first' });
  await world.rename('object', 'alias', { parent: volume, toParent: world.folder });
});
afterEach(() => world.end());

async function alias(): Promise<ProjectFileNode> {
  return (await world.child('alias')) as ProjectFileNode;
}

function replaceObject(content: string): Promise<void> {
  return writeFile(join(world.service.dataDir, 'buckets', 'bucket', 'object'), content);
}

async function keepsCache(node: ProjectFileNode): Promise<boolean> {
  const { handle, keepCache } = await world.side.openFiles.open(node, O_RDONLY, world.by());
  await world.close(handle);
  return keepCache;
}

/** As the kernel opens: after ESTALE it looks the name up again. */
async function catAgain(): Promise<string> {
  await expect(world.open(await alias(), O_RDONLY)).rejects.toMatchObject({ errno: 'ESTALE' });
  return world.cat('alias');
}

describe('an alias whose object stays', () => {
  it('keeps its node and, once its version is known, the pages of the kernel', async () => {
    const node = await alias();
    expect([await keepsCache(node), await keepsCache(node), await keepsCache(node)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await alias()).toBe(node);
    expect(await world.cat('alias')).toBe('first');
  });

  it('is opened again for a byte of its store, and no request of the API', async () => {
    await world.cat('alias');
    const { stats } = world.service.services;
    stats.reset();
    expect(await keepsCache(await alias())).toBe(true);
    expect([stats.apiRequests, stats.storageGetBytes]).toEqual([0, 1]);
  });
});

describe('an alias whose store has the same, empty ETag for all objects', () => {
  it('has the bytes of the object that is there now for who opens it, though that is as large', async () => {
    let object = Buffer.from('first');
    await using store = await startRawServer((socket, request) => {
      socket.write(rangeHead(request, object).replace('"v1"', '""'));
      socket.write(rangeBytes(request, object));
    });
    const { url } = store;
    const leadingThere = (api: Api): Api => {
      const downloadInfo: typeof api.files.downloadInfo = async () => ({ url });
      const downloadInfoAndFile: typeof api.files.downloadInfoAndFile = async (...asked) => ({
        ...(await api.files.downloadInfoAndFile(...asked)),
        url,
      });
      return withMethods(api, { files: withMethods(api.files, { downloadInfo, downloadInfoAndFile }) });
    };
    await world.end();
    world = await ChangingWorld.start({ api: leadingThere });
    volume = await world.volume('bucket', { object: 'first' });
    await world.rename('object', 'alias', { parent: volume, toParent: world.folder });
    expect(await world.cat('alias')).toBe('first');
    object = Buffer.from('other');
    expect(await keepsCache(await alias())).toBe(false);
    expect(await world.cat('alias')).toBe('other');
  });
});

describe('an alias whose object was replaced', () => {
  it('by one of the same size is another node with the new bytes, for who opens it', async () => {
    const before = await alias();
    expect(await world.cat('alias')).toBe('first');
    await replaceObject('other');
    expect(await catAgain()).toBe('other');
    expect(await alias()).not.toBe(before);
  });

  it('by one of another size has that size from then on', async () => {
    expect(await world.cat('alias')).toBe('first');
    await replaceObject('longer than before');
    expect(await catAgain()).toBe('longer than before');
    const { attributes } = world.tree.attributesOf(await alias());
    expect(attributes.sizeBytes).toBe('longer than before'.length);
  });

  it('before anybody opened it here is read as it is', async () => {
    await replaceObject('longer than before');
    expect(await catAgain()).toBe('longer than before');
    await replaceObject('');
    expect(await catAgain()).toBe('');
  });

  it('is not mixed: who has the old one open reads what is there of it, or gets ESTALE', async () => {
    const handle = await world.open(await alias(), O_RDONLY);
    await replaceObject('other');
    expect(await catAgain()).toBe('other');
    await expect(world.read(handle)).rejects.toMatchObject({ kind: 'changed' });
    await world.close(handle);
  });

  it('stays that node when its folder is listed again', async () => {
    await replaceObject('longer than before');
    await catAgain();
    const node = await alias();
    world.tree.expire(world.folder);
    await world.tree.childrenOf(world.folder, new AbortController().signal);
    expect(await alias()).toBe(node);
  });
});

/** A write would silently make the alias a file of its own. */
describe('an alias that is to be written', () => {
  const REFUSED = {
    errno: 'EPERM',
    message: expect.stringMatching(
      /^alias is an alias of object on volume ada\/bucket, .*cp it .*remove it first/,
    ),
  };
  const setSize = async (node: ProjectFileNode, sizeBytes: number) =>
    world.side.mutations.setattr(node, { sizeBytes }, { handle: undefined, context: world.by() });
  const modeOf = (node: ProjectFileNode) => world.tree.attributesOf(node).attributes.mode;

  it('is refused to who opens it to write it, whatever the mode bits let pass', async () => {
    const node = await alias();
    expect(modeOf(node)).toBe(0o100_444);
    for (const flags of [O_WRONLY, O_RDWR, O_WRONLY | O_APPEND, O_WRONLY | O_TRUNC, O_RDONLY | O_TRUNC])
      await expect(world.open(node, flags)).rejects.toMatchObject(REFUSED);
    const place = { parent: world.folder, name: 'alias' };
    const how = { mode: 0o644, flags: O_WRONLY | O_TRUNC };
    await expect(world.side.openFiles.create(place, how, world.by())).rejects.toMatchObject(REFUSED);
    for (const size of [0, 3, 100]) await expect(setSize(node, size)).rejects.toMatchObject(REFUSED);
    await world.side.idle(world.by().signal);
    expect(await world.cat('alias')).toBe('first');
    expect(await alias()).toBe(node);
  });

  it('can be removed, renamed and replaced by a rename', async () => {
    await world.rename('alias', 'renamed');
    expect((await world.child('renamed')) as ProjectFileNode).toMatchObject({ record: { name: 'renamed' } });
    await world.put('new', 'text');
    await world.rename('new', 'renamed');
    expect(await world.onPlatform()).toEqual({ renamed: 'text' });
    await world.rename('object', 'alias', { parent: volume, toParent: world.folder });
    await world.side.mutations.unlink({ parent: world.folder, name: 'alias' }, world.by());
    await world.put('alias', 'a file now');
    expect(await world.onPlatform()).toEqual({ renamed: 'text', alias: 'a file now' });
    expect(await world.onVolume(volume)).toMatchObject({ object: 'first' });
  });

  it('is written when another client has put a file in its place', async () => {
    const node = await alias();
    await world.user.call('DELETE', `/files/${node.record!.id}`);
    await world.user.upload(world.folder.project.record!.rootFolder, 'alias', 'theirs');
    world.tree.doubt(node);
    await expect(world.open(node, O_WRONLY)).rejects.toMatchObject({ errno: 'ESTALE' });
    const handle = await world.open(await alias(), O_WRONLY);
    await world.write(handle, 'T');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ alias: 'Theirs' });
  });

  it('keeps its mode, less the write bits, and its time', async () => {
    const node = await alias();
    const changes = { mode: 0o750, mtimeNs: 10n ** 18n };
    await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
    await world.side.idle(world.by().signal);
    expect(world.tree.attributesOf(node).attributes).toMatchObject({ mode: 0o100_550, mtimeNs: 10n ** 18n });
    expect(await world.cat('alias')).toBe('first');
  });

  it('becomes a file of its own with --alias-write=copy', async () => {
    await world.end();
    world = await ChangingWorld.start({ options: { aliasWrite: 'copy' } });
    volume = await world.volume('bucket', { object: 'first' });
    await world.rename('object', 'alias', { parent: volume, toParent: world.folder });
    const node = await alias();
    expect(modeOf(node)).toBe(0o100_644);
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, ' and more', 5);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ alias: 'first and more' });
    expect(await world.onVolume(volume)).toMatchObject({ object: 'first' });
  });
});
