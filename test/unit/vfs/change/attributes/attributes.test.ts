import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { ApiError, TransportError } from '../../../../../src/api/errors.ts';
import type { ProjectRecord } from '../../../../../src/api/model.ts';
import { nanosecondsOf } from '../../../../../src/lib/nanoseconds.ts';
import { readReservedPairs, reservedPairs } from '../../../../../src/vfs/attributes/reserved-pairs.ts';
import type { AttributeChanges } from '../../../../../src/vfs/file-system.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import {
  ChangingWorld,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

let world: ChangingWorld;
async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}
afterEach(() => world.end());

/** A platform that refuses changes of metadata at times. */
async function startRefusing(failure: Error): Promise<{ refuses: boolean }> {
  const platform = { refuses: false };
  const atTimes = ({ files }: Api): Partial<Api> => ({
    files: withMethods(files, {
      patchMetadata: (...args) => (platform.refuses ? Promise.reject(failure) : files.patchMetadata(...args)),
      edit: (id, changes, options) =>
        platform.refuses && Object.keys(changes.metadata ?? {}).length > 0
          ? Promise.reject(failure)
          : files.edit(id, changes, options),
    }),
  });
  await start({ api: (api) => withMethods(api, atTimes(api)) });
  return platform;
}

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

/** To the nanosecond. */
const JUNE = nanosecondsOf(Date.UTC(2020, 5, 1)) + 123_456_789n;

describe('of a file', () => {
  it('keeps time and mode set before it is closed, with its publication', async () => {
    await start();
    const { node, handle } = await world.create('a');
    await world.write(handle, 'text');
    await set(node, { mode: 0o100755, mtimeNs: JUNE });
    await world.close(handle);
    expect(await kept(node)).toEqual({ mode: 0o755, mtimeNs: JUNE });
    expect(world.tree.attributesOf(node).attributes).toMatchObject({ mode: 0o100755, mtimeNs: JUNE });
  });

  it.each([
    ['mode', { mode: 0o600 }],
    ['time', { mtimeNs: JUNE }],
  ])(
    'a mode or a time that is set on a published file is there when the call returns: %s',
    async (_, change) => {
      await start();
      const node = await world.put('a', 'text');
      world.service.services.stats.reset();
      await set(node, change);
      expect(world.service.services.stats.apiRequests).toBe(1);
      expect(await kept(node)).toEqual(change);
    },
  );

  it('a mode and a time that are set at the same moment are one request', async () => {
    await start();
    const node = await world.put('a', 'text');
    world.service.services.stats.reset();
    await Promise.all([set(node, { mtimeNs: JUNE }), set(node, { mode: 0o600 })]);
    expect(world.service.services.stats.apiRequests).toBe(1);
    expect(await kept(node)).toEqual({ mode: 0o600, mtimeNs: JUNE });
  });

  it('keeps them through a rename, for no request more', async () => {
    await start();
    const node = await world.put('.a.X1y2Z3', 'text');
    await world.put('a', 'old');
    await set(node, { mtimeNs: JUNE });
    world.service.services.stats.reset();
    await world.rename('.a.X1y2Z3', 'a');
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(1);
    expect(await kept(node)).toEqual({ mtimeNs: JUNE });
  });

  it('forgets a time that was set when content is written after it', async () => {
    await start();
    const node = await world.put('a', 'text');
    await set(node, { mtimeNs: JUNE });
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'T');
    await world.close(handle);
    expect(await kept(node)).toEqual({});
    expect(world.tree.attributesOf(node).attributes.mtimeNs).toBeGreaterThan(JUNE);
  });

  it('has the time that another client set since it was written', async () => {
    await start();
    const node = await world.put('a', 'text');
    await world.tree.api.files.patchMetadata(node.record!.id, reservedPairs({ mtimeNs: JUNE }));
    world.tree.expire(world.folder);
    expect(await world.child('a')).toBe(node);
    expect(world.tree.attributesOf(node).attributes.mtimeNs).toBe(JUNE);
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'T');
    expect(world.tree.attributesOf(node).attributes.mtimeNs).toBeGreaterThan(JUNE);
    await world.close(handle);
    expect(world.tree.attributesOf(node).attributes.mtimeNs).toBeGreaterThan(JUNE);
  });

  describe('a mode or a time that the platform refuses', () => {
    const refused = new ApiError(
      { status: 403, code: 5009, message: 'Only bo, who made this file' },
      { call: 'any' },
    );

    it('is told to who set it, and not shown any more', async () => {
      const platform = await startRefusing(refused);
      const node = await world.put('a', 'text');
      const before = world.tree.attributesOf(node).attributes;
      platform.refuses = true;
      await expect(set(node, { mode: 0o600, mtimeNs: JUNE, atimeNs: JUNE })).rejects.toBe(refused);
      expect(world.tree.attributesOf(node).attributes).toEqual(before);
    });

    it('is told to all who set it at that moment', async () => {
      const platform = await startRefusing(refused);
      const node = await world.put('a', 'text');
      const before = world.tree.attributesOf(node).attributes;
      platform.refuses = true;
      const results = await Promise.allSettled([
        set(node, { mode: 0o600 }),
        set(node, { mode: 0o600 }),
        set(node, { mtimeNs: JUNE }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(world.tree.attributesOf(node).attributes).toEqual(before);
    });

    it('does not keep the file from getting another name', async () => {
      const platform = await startRefusing(refused);
      const node = await world.put('a', 'text');
      platform.refuses = true;
      await expect(set(node, { mode: 0o600 })).rejects.toBe(refused);
      await world.rename('a', 'b');
      expect(await world.child('b')).toBe(node);
    });

    it('can be set again when it is not refused any more', async () => {
      const platform = await startRefusing(new TransportError('away', { call: 'any' }));
      const node = await world.put('a', 'text');
      platform.refuses = true;
      await expect(set(node, { mode: 0o600 })).rejects.toThrow('away');
      platform.refuses = false;
      await set(node, { mode: 0o600 });
      expect(await kept(node)).toEqual({ mode: 0o600 });
    });
  });

  it('of which one is set while it is being closed is written when that is done', async () => {
    const closing = new Gate();
    await start({
      api: (api) =>
        withMethods(api, {
          uploads: withMethods(api.uploads, {
            inline: async (...args) => {
              await closing.opened;
              return api.uploads.inline(...args);
            },
          }),
        }),
    });
    const { node, handle } = await world.create('a');
    await world.write(handle, 'text');
    const closed = world.close(handle);
    const setting = set(node, { mode: 0o600 });
    closing.open();
    await Promise.all([closed, setting]);
    expect(await kept(node)).toEqual({ mode: 0o600 });
  });

  it('asks for nothing when nothing changes', async () => {
    await start();
    const node = await world.put('a', 'text');
    const { mode, mtimeNs } = world.tree.attributesOf(node).attributes;
    world.service.services.stats.reset();
    await set(node, { mode, mtimeNs, uid: 1000, gid: 1000 });
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(0);
  });

  it('asks for nothing when an owner is set that is not kept', async () => {
    await start();
    const node = await world.put('a', 'text');
    world.service.services.stats.reset();
    await set(node, { uid: 0 });
    await world.side.idle(world.by().signal);
    expect(world.service.services.stats.apiRequests).toBe(0);
  });
});

describe('tags, pairs, mode and time of one file that are set at once', () => {
  /** The answers of a call on files, or its questions, wait for the gate once they are held. */
  function gated(
    call: 'patchMetadata' | 'putMetadata' | 'putTags' | 'edit' | 'find',
    where: 'question' | 'answer',
  ) {
    const reached = new Gate();
    let gate: Gate | undefined;
    const wait = async () => {
      if (gate) reached.open();
      await gate?.opened;
    };
    const api = (real: Api): Api => {
      const held = async (...args: readonly unknown[]) => {
        if (where === 'question') await wait();
        const answer = await (real.files[call] as (...all: readonly unknown[]) => Promise<unknown>)(...args);
        if (where === 'answer') await wait();
        return answer;
      };
      return withMethods(real, { files: withMethods(real.files, { [call]: held }) });
    };
    const hold = () => {
      gate = new Gate();
    };
    return { api, hold, reached: reached.opened, open: () => gate?.open() };
  }

  /** A question that is asked after what is under way has most likely an answer after it: the wrong order, if it can be. */
  async function letGoFirst(node: ProjectFileNode): Promise<void> {
    for (let times = 0; times < 3; times++) await world.tree.api.files.get(node.record!.id);
  }

  async function annotations(node: ProjectFileNode): Promise<object> {
    const record = await world.tree.api.files.get(node.record!.id);
    if (record.kind !== 'file') throw new Error('no file');
    const { mtimeNs } = readReservedPairs(record.metadata);
    return { tags: record.tags, pairs: new FileMetadata(world.tree).pairs(node), mtimeNs };
  }

  it('leave tags that are set while the time is sent, also to the next content', async () => {
    const { api, hold, reached, open } = gated('patchMetadata', 'answer');
    await start({ api });
    const { signal } = world.by();
    const node = await world.put('f', 'text');
    hold();
    const metadata = new FileMetadata(world.tree);
    await metadata.setTags(node, ['old'], signal);
    const touching = set(node, { mtimeNs: JUNE });
    await reached;
    const setting = metadata.setTags(node, ['new'], signal);
    await letGoFirst(node);
    open();
    await setting;
    await touching;
    expect(node.record?.tags).toEqual(['new']);
    await world.put('f', 'rewritten');
    expect(await annotations(node)).toMatchObject({ tags: ['new'] });
  });

  it('leave a time that is sent while a pair is removed', async () => {
    const { api, hold, reached, open } = gated('putMetadata', 'question');
    await start({ api });
    const { signal } = world.by();
    const node = await world.put('f', 'text');
    hold();
    const metadata = new FileMetadata(world.tree);
    await metadata.merge(node, { kept: '1', removed: '1' }, signal);
    const removing = metadata.removePair(node, 'removed', signal);
    await reached;
    const touching = set(node, { mtimeNs: JUNE });
    open();
    await removing;
    await touching;
    expect(await annotations(node)).toEqual({ tags: [], pairs: { kept: '1' }, mtimeNs: JUNE });
    expect(world.tree.attributesOf(node).attributes.mtimeNs).toBe(JUNE);
  });

  it('leave tags that are set while it is renamed', async () => {
    const { api, hold, reached, open } = gated('edit', 'answer');
    await start({ api });
    const { signal } = world.by();
    const node = await world.put('f', 'text');
    hold();
    const renaming = world.rename('f', 'g');
    await reached;
    const setting = new FileMetadata(world.tree).setTags(node, ['new'], signal);
    await letGoFirst(node);
    open();
    await renaming;
    await setting;
    expect(node.record).toMatchObject({ name: 'g', tags: ['new'] });
  });

  it.each([
    ['before', 'question'],
    ['after', 'answer'],
  ] as const)('go to content that is published %s they are taken', async (_, where) => {
    const { api, hold, reached, open } = gated('putTags', where);
    await start({ api });
    const { signal } = world.by();
    const node = await world.put('f', 'text');
    hold();
    const setting = new FileMetadata(world.tree).setTags(node, ['new'], signal);
    await reached;
    await world.put('f', 'rewritten');
    open();
    await setting;
    expect(await annotations(node)).toMatchObject({ tags: ['new'] });
    expect(node.record?.tags).toEqual(['new']);
  });

  it('stay as they are set when an older answer comes after them', async () => {
    const { api, hold, reached, open } = gated('find', 'answer');
    await start({ api });
    const { signal } = world.by();
    const node = await world.put('f', 'text');
    hold();
    world.tree.expire(world.folder);
    const looking = world.tree.freshChildOf(world.folder, 'f', signal);
    await reached;
    await new FileMetadata(world.tree).setTags(node, ['new'], signal);
    open();
    expect(await looking).toBe(node);
    expect(node.record?.tags).toEqual(['new']);
  });
});

it('keeps mode and time of a folder here', async () => {
  await start();
  const place = { parent: world.folder, name: 'sub' };
  const node = (await world.side.mutations.mkdir(place, 0o700, world.by())) as ProjectFolderNode;
  await set(node, { mtimeNs: JUNE });
  expect(world.tree.folderState.get(node.record!.id)).toEqual({ mode: 0o700, mtimeNs: JUNE });
  await world.rename('sub', 'moved');
  expect(world.tree.folderState.get(node.record!.id)).toEqual({ mode: 0o700, mtimeNs: JUNE });
});

it('keeps the mode of a folder in one that is renamed', async () => {
  await start();
  const mkdir = async (name: string, parent = world.folder) =>
    (await world.side.mutations.mkdir({ parent, name }, 0o700, world.by())) as ProjectFolderNode;
  const inner = await mkdir('inner', await mkdir('outer'));
  const { id } = inner.record!;
  await world.rename('outer', 'moved');
  expect(inner.record!.id).not.toBe(id);
  expect(world.tree.folderState.get(inner.record!.id)).toEqual({ mode: 0o700 });
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
    let write = true;
    const given = (record: ProjectRecord): ProjectRecord => ({
      ...record,
      permissions: { ...record.permissions, write },
    });
    await start({
      api: (api) =>
        withMethods(api, {
          projects: withMethods(api.projects, {
            get: async (...args) => given(await api.projects.get(...args)),
          }),
        }),
    });
    const node = await world.put('a', 'text');
    const { project } = world.folder;
    write = false;
    project.record = given(project.record!);
    await expect(world.open(node, O_WRONLY)).rejects.toMatchObject({ errno: 'EACCES' });
    await expect(set(node, { mode: 0o600 })).rejects.toMatchObject({ errno: 'EACCES' });
    await expect(world.rename('a', 'b')).rejects.toMatchObject({ errno: 'EACCES' });
    const place = { parent: world.folder, name: 'a' };
    await expect(world.side.mutations.unlink(place, world.by())).rejects.toMatchObject({ errno: 'EACCES' });
  });
});
