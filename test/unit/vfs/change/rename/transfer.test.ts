import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { blobGarbageIn } from '../../../../../src/service/files/tables/blob-garbage-table.ts';
import { storedTime } from '../../../../../src/service/store/stored-time.ts';
import type {
  ProjectFileNode,
  ProjectFolderNode,
  VolumeDirectoryNode,
} from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;

let volume: VolumeDirectoryNode;

beforeEach(async ({ task }) => {
  world = await ChangingWorld.start({ staging: task.suite?.name === 'with a staging project' });
  volume = await world.volume('bucket', { 'in/reads.txt': 'ACGT', 'in/deep/more.txt': 'TTTT', plain: 'N' });
});

afterEach(() => world.end());

describe('mv project -> volume', () => {
  it('exports a file; both names are there, and no byte passed here', async () => {
    const node = await world.put('a.bam', 'reads');
    const reader = await world.open(node, O_RDONLY);
    world.storageBytes();
    await world.rename('a.bam', 'b.bam', { toParent: volume });
    expect(world.storageBytes()).toBe(0);
    expect(await world.onVolume(volume)).toMatchObject({ 'b.bam': 'reads' });
    const alias = (await world.child('a.bam')) as ProjectFileNode;
    expect(alias).not.toBe(node);
    expect(alias.record?.storage).toEqual({ kind: 'volume', volume: 'ada/bucket', location: 'b.bam' });
    expect(await world.cat('b.bam', volume)).toBe('reads');
    expect(await world.cat('a.bam')).toBe('reads');
    expect(await world.read(reader)).toBe('reads');
    await world.close(reader);
  });

  it('leaves the bytes to who has the file open, also when the service has removed its own', async () => {
    const text = 'reads'.repeat(200_000);
    const reader = await world.open(await world.put('a.bam', text), O_RDONLY);
    const at = async (offset: number): Promise<string> => {
      const span = { handle: reader, offset };
      const { chunks, release } = await world.side.openFiles.read(span, 100, world.by());
      const read = Buffer.concat(chunks).toString();
      release?.();
      return read;
    };
    expect(await at(0)).toBe(text.slice(0, 100));
    await world.rename('a.bam', 'b.bam', { toParent: volume });
    const { store, blobs } = world.service.services;
    const unused = await blobGarbageIn(store).unusedSince(storedTime(Date.now() + 1000), 10);
    expect(unused).toHaveLength(1);
    for (const key of unused) await blobs.remove(key);
    expect(await at(900_000)).toBe(text.slice(900_000, 900_100));
    await world.close(reader);
  });

  it('exports a folder, and can be asked again', async () => {
    const folder = (await world.side.mutations.mkdir(
      { parent: world.folder, name: 'run' },
      0o755,
      world.by(),
    )) as ProjectFolderNode;
    await world.put('one', '1', folder);
    await world.put('two', '2', folder);
    await world.rename('run', 'run', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1', 'run/two': '2' });
    await expect(world.child('run')).resolves.toMatchObject({ kind: 'project-folder' });
    await world.rename('run', 'run', { toParent: volume });
  });

  it('shows at once what is done of a folder when the rest fails', async () => {
    const run = await makeFolder('run', world.folder);
    const one = await world.put('one', '1', run);
    await world.put('two', '2', run);
    await world.child('run', volume);
    const { transfers } = world.tree.api;
    const start = transfers.startExports.bind(transfers);
    const failure = { status: 503, code: 9200, message: 'the store is away' };
    vi.spyOn(transfers, 'startExports').mockImplementationOnce(async (requests, copyOnly) => [
      ...(await start(requests.slice(0, 1), copyOnly)),
      { ok: false, failure },
    ]);
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toThrow('the store is away');
    const exported = (await world.child('run', volume)) as VolumeDirectoryNode;
    expect(await world.cat('one', exported)).toBe('1');
    await world.child('one', run);
    expect(one.record?.storage).toMatchObject({ kind: 'volume', location: 'run/one' });
    await world.rename('run', 'run', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1', 'run/two': '2' });
  });

  it('keeps a folder made here when nothing could be brought into it', async () => {
    const local = await world.side.mutations.mkdir({ parent: volume, name: 'run' }, 0o755, world.by());
    await makeFolder('run', world.folder);
    vi.spyOn(world.tree.api.files, 'list').mockRejectedValueOnce(new Error('the service is away'));
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toThrow('the service is away');
    expect(await world.child('run', volume)).toBe(local);
  });

  it('makes a folder made here a folder of the volume', async () => {
    const local = (await world.side.mutations.mkdir(
      { parent: volume, name: 'new' },
      0o755,
      world.by(),
    )) as VolumeDirectoryNode;
    await world.put('a', 'text');
    await world.rename('a', 'a', { toParent: local });
    expect(local.local).toBe(false);
    expect(await world.onVolume(volume)).toMatchObject({ 'new/a': 'text' });
  });

  it('refuses an alias before anything is sent', async () => {
    await world.rename('plain', 'plain', { parent: volume, toParent: world.folder });
    await expect(world.rename('plain', 'elsewhere', { toParent: volume })).rejects.toMatchObject({
      reason: 'not-exportable',
    });
  });

  it('refuses a read-only volume', async () => {
    const readOnly = await world.volume('fixed', {}, 'RO');
    await world.put('a', 'text');
    await expect(world.rename('a', 'a', { toParent: readOnly })).rejects.toMatchObject({ errno: 'EROFS' });
  });
});

describe('mv project -> volume with --after-export=remove', () => {
  beforeEach(async () => {
    await world.end();
    world = await ChangingWorld.start({ options: { afterExport: 'remove' } });
    volume = await world.volume('bucket');
  });

  it('leaves the object only, and its bytes to who has the file open', async () => {
    const reader = await world.open(await world.put('a.bam', 'reads'), O_RDONLY);
    await world.rename('a.bam', 'b.bam', { toParent: volume });
    expect(await world.child('a.bam')).toBeUndefined();
    expect(await world.onVolume(volume)).toMatchObject({ 'b.bam': 'reads' });
    expect(await world.read(reader)).toBe('reads');
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({});
  });

  it('removes what an interrupted move had exported', async () => {
    const node = await world.put('a', 'text');
    const source = {
      kind: 'file',
      file: node.record!,
      permissions: node.project.record!.permissions,
    } as const;
    const target = {
      kind: 'volume',
      volume: 'ada/bucket',
      location: 'a',
      accessMode: 'RW',
      active: true,
    } as const;
    await world.tree.jobs.move({ source, target, overwrite: true, paths: { source: 'a', target: 'a' } });
    await world.rename('a', 'a', { toParent: volume });
    expect(await world.onPlatform()).toEqual({});
  });

  it('removes a folder with all folders in it', async () => {
    const folder = await makeFolder('run', world.folder);
    await world.put('one', '1', folder);
    await world.put('two', '2', await makeFolder('deep', folder));
    await world.rename('run', 'run', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1', 'run/deep/two': '2' });
    expect(await world.child('run')).toBeUndefined();
    expect(await world.onPlatform()).toEqual({});
  });

  it('refuses a folder while someone reads in it', async () => {
    const folder = await makeFolder('run', world.folder);
    const reader = await world.open(await world.put('one', '1', folder), O_RDONLY);
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    expect(await world.onVolume(volume)).not.toHaveProperty(['run/one']);
    await world.close(reader);
  });
});

async function makeFolder(name: string, parent: ProjectFolderNode): Promise<ProjectFolderNode> {
  const made = world.side.mutations.mkdir({ parent, name }, 0o755, world.by());
  return (await made) as ProjectFolderNode;
}

describe('mv volume -> project', () => {
  it('imports an object as an alias that reads the same; the object stays', async () => {
    const inside = (await world.child('in', volume)) as VolumeDirectoryNode;
    world.storageBytes();
    await world.rename('reads.txt', 'r.txt', { parent: inside, toParent: world.folder });
    expect(world.storageBytes()).toBe(0);
    expect(await world.cat('r.txt')).toBe('ACGT');
    expect(await world.cat('reads.txt', inside)).toBe('ACGT');
  });

  it('imports a folder', async () => {
    await world.rename('in', 'got', { parent: volume, toParent: world.folder });
    const got = (await world.child('got')) as ProjectFolderNode;
    expect(await world.onPlatform(got)).toMatchObject({ 'reads.txt': 'ACGT', deep: '/' });
    await world.rename('in', 'got', { parent: volume, toParent: world.folder });
  });

  it('does not replace a file that is open', async () => {
    const target = await world.put('r.txt', 'old');
    const handle = await world.open(target, O_RDONLY);
    await expect(
      world.rename('plain', 'r.txt', { parent: volume, toParent: world.folder }),
    ).rejects.toMatchObject({ errno: 'EBUSY' });
    expect(await world.read(handle)).toBe('old');
    await world.close(handle);
  });

  it('replaces a file and keeps its metadata', async () => {
    const target = await world.put('r.txt', 'old');
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.folder);
    await world.rename('plain', 'r.txt', { parent: volume, toParent: world.folder });
    expect(await world.cat('r.txt')).toBe('N');
    expect(((await world.child('r.txt')) as ProjectFileNode).record?.metadata).toEqual({ sample: 's1' });
  });
});

describe('mv of a folder onto one that is there', () => {
  it('moves nothing when the project has another file of a name, and names it', async () => {
    const inside = await makeFolder('in', world.folder);
    await world.put('reads.txt', 'another file', inside);
    await expect(world.rename('in', 'in', { parent: volume, toParent: world.folder })).rejects.toMatchObject({
      reason: 'target-not-empty',
      message: expect.stringContaining('reads.txt'),
    });
    expect(await world.onPlatform(inside)).toEqual({ 'reads.txt': 'another file' });
  });

  it('moves nothing when the volume has another object of a name, and names it', async () => {
    const inside = await makeFolder('in', world.folder);
    await world.put('reads.txt', 'another file', inside);
    await world.put('new.txt', 'new', inside);
    await expect(world.rename('in', 'in', { toParent: volume })).rejects.toMatchObject({
      reason: 'target-not-empty',
      message: expect.stringContaining('reads.txt'),
    });
    expect(await world.onVolume(volume)).toMatchObject({ 'in/reads.txt': 'ACGT' });
    expect(await world.onVolume(volume)).not.toHaveProperty(['in/new.txt']);
    expect(await world.onPlatform(inside)).toEqual({ 'reads.txt': 'another file', 'new.txt': 'new' });
  });

  it('adds to a folder that has other names', async () => {
    const inside = await makeFolder('in', world.folder);
    await world.put('mine.txt', 'mine', inside);
    await world.rename('in', 'in', { parent: volume, toParent: world.folder });
    expect(await world.onPlatform(inside)).toEqual({ 'mine.txt': 'mine', 'reads.txt': 'ACGT', deep: '/' });
  });

  it('replaces no file that came to the project since the name was looked up', async () => {
    await world.child('in');
    const { files, uploads } = world.tree.api;
    const inside = await files.createFolder({ parent: folderIdOf(world.folder), name: 'in' });
    const target = { parent: inside.id, name: 'reads.txt', overwrite: false };
    const file = await uploads.inline(target, Buffer.from('another file'));
    await expect(world.rename('in', 'in', { parent: volume, toParent: world.folder })).rejects.toMatchObject({
      failure: { code: 9108 },
      message: expect.stringContaining('reads.txt'),
    });
    expect(await files.get(file.id)).toMatchObject({ name: 'reads.txt', storage: { kind: 'platform' } });
  });

  it('replaces no object that came to the volume since the name was looked up', async () => {
    await world.child('run', volume);
    await world.put('one', '1', await makeFolder('run', world.folder));
    await world.putObject(volume, 'run/one', 'another object');
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({
      failure: { code: 9107 },
      message: expect.stringContaining('one'),
    });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': 'another object' });
  });

  it('leaves the aliases that an export left as they are: their metadata survives the way back', async () => {
    const run = await makeFolder('run', world.folder);
    const one = await world.put('one', '1', run);
    await world.tree.api.files.edit(one.record!.id, { metadata: { sample: 's1' }, tags: ['kept'] });
    await world.rename('run', 'run', { toParent: volume });
    await world.rename('run', 'run', { parent: volume, toParent: world.folder });
    const back = (await world.child('run')) as ProjectFolderNode;
    const { record } = (await world.child('one', back)) as ProjectFileNode;
    expect(record).toMatchObject({ id: one.record!.id, metadata: { sample: 's1' }, tags: ['kept'] });
  });
});

describe('mv -n', () => {
  const noReplace = { noReplace: true };

  it('does not replace an object that came to the volume since the name was looked up', async () => {
    await world.child('f', volume);
    await world.put('f', 'ours');
    await world.putObject(volume, 'f', 'theirs');
    const moving = world.rename('f', 'f', { toParent: volume, ...noReplace });
    await expect(moving).rejects.toMatchObject({ failure: { code: 9107 } });
    expect(await world.onVolume(volume)).toMatchObject({ f: 'theirs' });
    expect(await world.cat('f')).toBe('ours');
  });

  it('does not replace a file that came to the project since the name was looked up', async () => {
    await world.child('plain');
    const target = { parent: folderIdOf(world.folder), name: 'plain', overwrite: false };
    await world.tree.api.uploads.inline(target, Buffer.from('theirs'));
    const moving = world.rename('plain', 'plain', { parent: volume, toParent: world.folder, ...noReplace });
    await expect(moving).rejects.toMatchObject({ failure: { code: 9108 } });
    expect(await world.onPlatform()).toEqual({ plain: 'theirs' });
  });
});

describe('what a volume cannot do', () => {
  it('renames nothing', async () => {
    await expect(world.rename('plain', 'other', { parent: volume })).rejects.toMatchObject({
      errno: 'EPERM',
    });
  });

  it('deletes nothing', async () => {
    const place = { parent: volume, name: 'plain' };
    await expect(world.side.mutations.unlink(place, world.by())).rejects.toMatchObject({ errno: 'EPERM' });
  });

  it('removes only folders made here', async () => {
    await world.side.mutations.mkdir({ parent: volume, name: 'mine' }, 0o755, world.by());
    await world.side.mutations.rmdir({ parent: volume, name: 'mine' }, world.by());
    expect(await world.child('mine', volume)).toBeUndefined();
    const place = { parent: volume, name: 'in' };
    await expect(world.side.mutations.rmdir(place, world.by())).rejects.toMatchObject({ errno: 'ENOTEMPTY' });
  });
});
