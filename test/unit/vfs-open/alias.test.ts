/** An alias shows the object behind it, which others replace in its bucket. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../src/api/api.ts';
import type { ProjectFileNode, VolumeDirectoryNode } from '../../../src/vfs/node.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../support/changing-world.ts';
import { rangeBytes, rangeHead, startRawServer } from '../../support/raw-http-server.ts';

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
