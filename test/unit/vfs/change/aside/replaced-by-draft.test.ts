/** A file whose name a draft is renamed over goes from the platform only when the draft is there. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { ApiError, TransportError } from '../../../../../src/api/errors.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';

const outage = new TransportError('no answer', { call: 'POST /upload/inline' });
const refusal = new ApiError(
  { status: 403, code: 8001, message: 'refused' },
  { call: 'POST /upload/inline' },
);

type Upload = Api['uploads']['inline'];

let world: ChangingWorld;
let next: ChangingWorld | undefined;
/** The outcomes of the next uploads, one after the other; the others succeed. */
let uploads: ((upload: () => ReturnType<Upload>) => ReturnType<Upload>)[];
/** The calls that change files and their places fail: the service is away, or the mount is dead. */
let away: boolean;

const refused = (): Promise<never> => Promise.reject(refusal);

beforeEach(async () => {
  uploads = [];
  away = false;
  world = await ChangingWorld.start({ api: troubled });
});
afterEach(async () => {
  await next?.end();
  next = undefined;
  await world.end();
});

function troubled(api: Api): Api {
  const inline: Upload = (...args) => {
    const upload = (): ReturnType<Upload> => api.uploads.inline(...args);
    const how = uploads.shift();
    return how ? how(upload) : upload();
  };
  const { files } = api;
  return withMethods(api, {
    uploads: withMethods(api.uploads, { inline }),
    files: withMethods(files, {
      move: (...args) => (away ? Promise.reject(outage) : files.move(...args)),
      edit: (...args) => (away ? Promise.reject(outage) : files.edit(...args)),
      delete: (...args) => (away ? Promise.reject(outage) : files.delete(...args)),
    }),
  });
}

/** A file with `new` in it, being written, that has the name of a published one. */
async function renamedOver(name = 'doc'): Promise<FileHandle> {
  const { handle } = await world.create('tmp');
  await world.write(handle, 'new');
  await world.rename('tmp', name);
  return handle;
}

async function openedOld(): Promise<FileHandle> {
  return world.open(await world.put('doc', 'old'), O_RDONLY);
}

/** The service ends to answer in the middle of an upload. */
function goesAway(): Promise<never> {
  away = true;
  return Promise.reject(outage);
}

async function asides(of = world): Promise<string[]> {
  return Object.keys(await of.onPlatform()).filter((name) => name.startsWith('.svcfs-aside-'));
}

describe('while somebody reads the old one', () => {
  it('that keeps its name for others until the draft is published, and is readable to the end', async () => {
    const reader = await openedOld();
    const handle = await renamedOver();
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
    expect(await world.cat('doc')).toBe('new');
    await world.close(handle);
    expect(await world.onPlatform()).toMatchObject({ doc: 'new' });
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('that costs a move, the upload and a removal', async () => {
    const reader = await openedOld();
    await world.tree.childrenOf(world.folder, world.by().signal);
    const { stats } = world.service.services;
    stats.reset();
    const handle = await renamedOver();
    expect(stats.apiRequests).toBe(0);
    await world.close(handle);
    expect(stats.apiRequests).toBe(2);
    await world.close(reader);
    expect(stats.apiRequests).toBe(3);
  });

  it('who is done before the draft is published: that costs the upload alone', async () => {
    const reader = await openedOld();
    const { stats } = world.service.services;
    const handle = await renamedOver();
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
    stats.reset();
    await world.close(handle);
    expect(stats.apiRequests).toBe(1);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it.each([
    ['after', false],
    ['before', true],
  ])('has its name again when the draft cannot be published, %s the reader is done', async (_, isDone) => {
    const reader = await openedOld();
    const handle = await renamedOver();
    await world.write(handle, 'newer');
    if (isDone) await world.close(reader);
    uploads = [refused];
    await expect(world.close(handle)).rejects.toBe(refusal);
    await world.side.idle(world.by().signal);
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
    expect(await world.cat('doc')).toBe('old');
    if (!isDone) expect(await world.read(reader)).toBe('old');
    if (!isDone) await world.close(reader);
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
  });

  it('is what its reader has open again after that: the next save leaves it to the reader', async () => {
    const reader = await openedOld();
    const old = (await world.child('doc')) as ProjectFileNode;
    old.lookups = 1;
    const handle = await renamedOver();
    uploads = [refused];
    await expect(world.close(handle)).rejects.toBe(refusal);
    await world.side.idle(world.by().signal);
    expect(await world.child('doc')).toBe(old);
    await world.put('saved', 'saved');
    await world.rename('saved', 'doc');
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({ doc: 'saved' });
  });

  it('is replaced by the next try when the service was away and could not even put it back', async () => {
    const reader = await openedOld();
    const handle = await renamedOver();
    uploads = [goesAway];
    await expect(world.side.openFiles.flush(handle, world.by())).rejects.toBe(outage);
    expect(await asides()).toHaveLength(1);
    away = false;
    await world.write(handle, 'newer');
    await world.close(handle);
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({ doc: 'newer' });
  });

  it('is put back by the next mount when this one could not', async () => {
    const reader = await openedOld();
    const handle = await renamedOver();
    uploads = [goesAway];
    await expect(world.close(handle)).rejects.toBe(outage);
    await world.close(reader);
    expect(await asides()).toHaveLength(1);
    next = await world.afterKill();
    expect(await next.onPlatform()).toEqual({ doc: 'old' });
  });

  it('goes with the publication by the next mount, when this one is killed before it', async () => {
    await openedOld();
    const handle = await renamedOver();
    uploads = [
      async () => {
        next = await world.afterKill();
        throw outage;
      },
    ];
    await expect(world.close(handle)).rejects.toBe(outage);
    await next?.side.idle(world.by().signal);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('goes in the next mount, when this one is killed before it hears of the publication', async () => {
    await openedOld();
    const handle = await renamedOver();
    uploads = [
      async (upload) => {
        const done = await upload();
        next = await world.afterKill();
        await next.side.idle(next.by().signal);
        return done;
      },
    ];
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('goes aside when the draft is removed, and is deleted when its reader is done', async () => {
    const reader = await openedOld();
    const handle = await renamedOver();
    await world.side.mutations.unlink({ parent: world.folder, name: 'doc' }, world.by());
    expect(await world.onPlatform()).not.toHaveProperty('doc');
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({});
  });

  it('goes aside for a published file that takes the name from the draft', async () => {
    const reader = await openedOld();
    const handle = await renamedOver();
    await world.put('third', 'third');
    await world.rename('third', 'doc');
    expect(await world.onPlatform()).toMatchObject({ doc: 'third' });
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'third' });
  });
});

it('goes when a file of another project takes the name from the draft', async () => {
  const parent = world.otherProject;
  const reader = await world.open(await world.put('doc', 'old', parent), O_RDONLY);
  const { handle } = await world.create('tmp', { parent });
  await world.write(handle, 'new');
  await world.rename('tmp', 'doc', { parent });
  await world.put('third', 'third');
  await world.rename('third', 'doc', { toParent: parent });
  expect(await world.read(reader)).toBe('old');
  await world.close(reader);
  await world.close(handle);
  expect(await world.onPlatform(parent)).toEqual({ doc: 'third' });
  expect(await world.onPlatform()).toEqual({});
});

it('keeps its name when nothing can take it from the draft, and the draft cannot be published', async () => {
  await world.put('doc', 'old');
  const handle = await renamedOver();
  await world.put('third', 'third');
  away = true;
  await expect(world.rename('third', 'doc')).rejects.toBe(outage);
  away = false;
  uploads = [refused];
  await expect(world.close(handle)).rejects.toBe(refusal);
  await world.side.idle(world.by().signal);
  expect(await world.onPlatform()).toEqual({ doc: 'old', third: 'third' });
});

it('keeps its name when nobody has it open and the draft cannot be published', async () => {
  await world.put('doc', 'old');
  const handle = await renamedOver();
  uploads = [refused];
  await expect(world.close(handle)).rejects.toBe(refusal);
  await world.side.idle(world.by().signal);
  expect(await world.onPlatform()).toEqual({ doc: 'old' });
});

describe('a draft that is renamed on from the name it took', () => {
  async function renamedOn(): Promise<FileHandle> {
    await world.put('doc', 'old');
    const handle = await renamedOver();
    await world.rename('doc', 'other');
    expect(await world.child('doc')).toBeUndefined();
    return handle;
  }

  it('takes the old file along when it is published', async () => {
    await world.close(await renamedOn());
    expect(await world.onPlatform()).toEqual({ other: 'new' });
  });

  it('gives the name back when it cannot be published', async () => {
    const handle = await renamedOn();
    uploads = [refused];
    await expect(world.close(handle)).rejects.toBe(refusal);
    await world.side.idle(world.by().signal);
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
    expect(await world.cat('doc')).toBe('old');
  });

  it('leaves the old file aside, and says where, when another has its name by then', async () => {
    const handle = await renamedOn();
    await world.put('doc', 'third');
    uploads = [refused];
    await expect(world.close(handle)).rejects.toBe(refusal);
    await world.side.idle(world.by().signal);
    const [aside] = await asides();
    expect(await world.onPlatform()).toEqual({ doc: 'third', [aside!]: 'old' });
    expect(world.tree.errors.lastAt('/one/doc')?.text).toContain(aside);
  });

  it('leaves the old file aside, and says where, when its folder is gone by then', async () => {
    const { mutations } = world.side;
    const place = { parent: world.folder, name: 'sub' };
    const sub = (await mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
    await world.put('doc', 'old', sub);
    const { handle } = await world.create('tmp', { parent: sub });
    await world.write(handle, 'new');
    await world.rename('tmp', 'doc', { parent: sub });
    await world.rename('doc', 'other', { parent: sub, toParent: world.folder });
    await mutations.rmdir(place, world.by());
    uploads = [refused];
    await expect(world.close(handle)).rejects.toBe(refusal);
    await world.side.idle(world.by().signal);
    const [aside] = await asides();
    expect(await world.onPlatform()).toEqual({ [aside!]: 'old' });
    expect(world.tree.errors.lastAt('/one/sub/doc')?.text).toContain(aside);
  });

  it('gives way to another draft: the old file goes when that is published', async () => {
    const handle = await renamedOn();
    const second = await renamedOver('other');
    await world.close(handle);
    expect(await asides()).toHaveLength(1);
    await world.close(second);
    expect(await world.onPlatform()).toEqual({ other: 'new' });
  });

  it('takes the old file along when it is removed', async () => {
    const handle = await renamedOn();
    await world.side.mutations.unlink({ parent: world.folder, name: 'other' }, world.by());
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({});
  });

  it('gives the name back when the mount is killed before it is closed', async () => {
    await renamedOn();
    next = await world.afterKill();
    expect(await next.onPlatform()).toEqual({ doc: 'old' });
  });

  it('takes the old file along when the next mount publishes it', async () => {
    const handle = await renamedOn();
    uploads = [() => Promise.reject(outage)];
    await expect(world.side.openFiles.flush(handle, world.by())).rejects.toBe(outage);
    next = await world.afterKill();
    await next.side.idle(next.by().signal);
    expect(await next.onPlatform()).toEqual({ other: 'new' });
  });

  it('takes it along when the mount was killed after the publication', async () => {
    const handle = await renamedOn();
    away = true;
    await world.close(handle);
    away = false;
    expect(await asides()).toHaveLength(1);
    next = await world.afterKill();
    expect(await next.onPlatform()).toEqual({ other: 'new' });
  });
});
