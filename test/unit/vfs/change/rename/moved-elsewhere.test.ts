/** Another client has moved or renamed a file since this mount was told of it: a file keeps its id then. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../../src/api/errors.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import { folderIdOf, type Node, type ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../../support/changing-world.ts';
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

describe('of a file that is being written, and that another client has moved meanwhile,', () => {
  let handle: FileHandle;
  beforeEach(async () => {
    await start();
    const node = await world.put('a', 'kept');
    handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'new');
    await movedElsewhere(node, { parent: archive, name: 'a' });
  });
  afterEach(async () => {
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  });

  it('rm removes what is written here', async () => {
    await unlink('a');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ archive: '/' });
  });

  it('mv renames what is written here', async () => {
    await world.rename('a', 'b');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ archive: '/', b: 'new' });
  });

  it('mv over it replaces what is written here', async () => {
    await world.put('other', 'text');
    await world.rename('other', 'a');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'text' });
  });

  describe('which it then replaced,', () => {
    beforeEach(async () => {
      await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
    });

    it('rm removes what has the name now as well', async () => {
      await unlink('a');
      await world.close(handle);
      expect(await world.onPlatform()).toEqual({ archive: '/' });
    });

    it('mv over it replaces what has the name now as well', async () => {
      await world.put('other', 'text');
      await world.rename('other', 'a');
      await world.close(handle);
      expect(await world.onPlatform()).toEqual({ archive: '/', a: 'text' });
    });

    it('mv over it of what is being written replaces what has the name now as well, when that is published', async () => {
      const other = await world.create('other');
      await world.write(other.handle, 'text');
      await world.rename('other', 'a');
      expect(await world.onPlatform()).toEqual({ archive: '/', a: 'theirs' });
      await world.close(other.handle);
      await world.close(handle);
      expect(await world.onPlatform()).toEqual({ archive: '/', a: 'text' });
    });

    it('mv leaves what has the name now, which is seen at once', async () => {
      await world.rename('a', 'b');
      expect(await world.cat('a')).toBe('theirs');
      await world.close(handle);
      expect(await world.onPlatform()).toEqual({ archive: '/', a: 'theirs', b: 'new' });
    });
  });
});

describe('an mv that is refused leaves --conflict=fail what it is, when another client has replaced the file:', () => {
  const refusal = new ApiError(
    { status: 403, code: 8001, message: 'refused' },
    { call: 'POST /files/{id}/actions/move' },
  );
  let handle: FileHandle;
  let isRefused: boolean;
  beforeEach(async () => {
    isRefused = false;
    await start({
      options: { conflict: 'fail' },
      api: (api) => {
        const { files } = api;
        const move: typeof files.move = (...given) =>
          isRefused ? Promise.reject(refusal) : files.move(...given);
        return withMethods(api, { files: withMethods(files, { move }) });
      },
    });
    const node = await world.put('a', 'kept');
    handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'ours');
    await movedElsewhere(node, { parent: archive, name: 'a' });
    await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
  });
  afterEach(async () => {
    await expect(world.close(handle)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.onPlatform()).toMatchObject({ archive: '/', a: 'theirs' });
  });

  it('to another project, while it is being written', async () => {
    const moving = world.rename('a', 'a', { toParent: world.otherProject });
    await expect(moving).rejects.toMatchObject({ errno: 'EBUSY' });
  });

  it('over it, when the platform does not let that go', async () => {
    await world.put('other', 'text');
    isRefused = true;
    await expect(world.rename('other', 'a')).rejects.toBe(refusal);
  });
});

it('mv of a file that is just being published renames what is published, while it is written on', async () => {
  const [begun, gate, isPublished] = [new Gate(), new Gate(), new Gate()];
  let isSlow = false;
  await start({
    api: (api) =>
      withMethods(api, {
        uploads: withMethods(api.uploads, {
          inline: async (...given) => {
            if (!isSlow) return api.uploads.inline(...given);
            begun.open();
            await gate.opened;
            return api.uploads.inline(...given);
          },
        }),
        files: withMethods(api.files, {
          // A question about the file from before its publication is answered after that.
          get: async (...given) => {
            if (isSlow) await isPublished.opened;
            return api.files.get(...given);
          },
        }),
      }),
  });
  const node = await world.put('a', 'old');
  const [first, second] = [await world.open(node, O_WRONLY | O_TRUNC), await world.open(node, O_WRONLY)];
  await world.write(first, 'ours');
  await clock.advance(A_WHILE_MS);
  isSlow = true;
  const closing = world.close(first);
  await begun.opened;
  const renaming = world.rename('a', 'b');
  // It has asked what it asks without waiting.
  await clock.advance(0);
  gate.open();
  await closing;
  isSlow = false;
  await world.write(second, ' and more', 4);
  isPublished.open();
  await renaming;
  await world.close(second);
  expect(await world.onPlatform()).toEqual({ archive: '/', b: 'ours and more' });
});

it('mv of a file that is open, though nothing was written, does not rename what another client has moved', async () => {
  await start();
  const node = await world.put('a', 'old');
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'kept');
  await world.side.openFiles.flush(handle, world.by());
  await movedElsewhere(node, { parent: archive, name: 'a' });
  await expect(world.rename('a', 'b')).rejects.toMatchObject({ errno: 'ESTALE' });
  await world.close(handle);
  expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
});

it('mv to a volume waits for a rename that is under way, and does not export what has another name by then', async () => {
  const { begun, gate } = await startWithSlowRenames();
  const volume = await world.volume('bucket', { other: 'text' });
  await world.tree.childrenOf(volume, world.by().signal);
  await world.put('a', 'kept');
  const renaming = world.rename('a', 'b');
  await begun.opened;
  const exporting = world.rename('a', 'a', { toParent: volume });
  gate.open();
  await renaming;
  await expect(exporting).rejects.toMatchObject({ errno: 'ENOENT' });
  expect(await world.onVolume(volume)).not.toHaveProperty('a');
  expect(await world.onPlatform()).toEqual({ archive: '/', b: 'kept' });
});

describe.each([
  { ways: 'in one call', capabilities: undefined },
  { ways: 'with the old file aside', capabilities: [] as const },
])('mv, $ways', ({ capabilities }) => {
  const begin = (): Promise<void> => start(capabilities && { capabilities });

  it('does not replace what another client moved elsewhere', async () => {
    await begin();
    await movedElsewhere(await world.put('log', 'old lines'), { parent: archive, name: 'log.1' });
    await world.put('log.new', 'new lines');
    await world.rename('log.new', 'log');
    expect(await world.onPlatform(archive)).toEqual({ 'log.1': 'old lines' });
    expect(await world.onPlatform()).toEqual({ archive: '/', log: 'new lines' });
  });

  it('renames back what another client renamed', async () => {
    await begin();
    await movedElsewhere(await world.put('a', 'only copy'), { name: 'b' });
    expect(await world.child('b')).toBeDefined();
    await world.rename('b', 'a');
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'only copy' });
  });

  it('does the same over what is being written under its old name', async () => {
    await begin();
    const node = await world.put('a', 'only copy');
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'draft');
    await movedElsewhere(node, { name: 'b' });
    expect(await world.child('b')).toBeDefined();
    await world.rename('b', 'a');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'only copy' });
  });

  it('does the same when all was learnt just now', async () => {
    await begin();
    const node = await world.put('a', 'only copy');
    await movedElsewhere(node, { name: 'b' });
    expect(await world.child('b')).toBeDefined();
    node.checkedMs = clock.now();
    await world.rename('b', 'a');
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'only copy' });
  });

  it('does not rename what another client moved elsewhere', async () => {
    await begin();
    await movedElsewhere(await world.put('a', 'theirs'), { parent: archive, name: 'a' });
    await world.user.upload(folderIdOf(archive), 'c', 'another');
    await expect(world.rename('a', 'c')).rejects.toMatchObject({ errno: 'ENOENT' });
    expect(await world.onPlatform(archive)).toEqual({ a: 'theirs', c: 'another' });
  });

  it('over a draft leaves alone what that was renamed over and is elsewhere by now', async () => {
    await begin();
    const old = await world.put('a', 'kept');
    const reader = await world.open(old, O_RDONLY);
    const { handle } = await world.create('a.new');
    await world.write(handle, 'draft');
    await world.rename('a.new', 'a');
    await movedElsewhere(old, { parent: archive, name: 'a' });
    await world.put('other', 'text');
    await world.rename('other', 'a');
    await world.close(handle);
    expect(await world.read(reader)).toBe('kept');
    await world.close(reader);
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'text' });
  });

  it('over a draft replaces what another client has put in the place of what that was renamed over', async () => {
    await begin();
    const old = await world.put('a', 'kept');
    const { handle } = await world.create('a.new');
    await world.write(handle, 'draft');
    await world.rename('a.new', 'a');
    await movedElsewhere(old, { parent: archive, name: 'a' });
    await world.user.upload(folderIdOf(world.folder), 'a', 'theirs');
    await world.put('other', 'text');
    await world.rename('other', 'a');
    await world.close(handle);
    expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
    expect(await world.onPlatform()).toEqual({ archive: '/', a: 'text' });
  });

  it('of a folder that another client moved elsewhere fails', async () => {
    await begin();
    const place = { parent: world.folder, name: 'run' };
    const run = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
    await world.user.call('DELETE', `/files/${folderIdOf(run)}`);
    await clock.advance(A_WHILE_MS);
    await expect(world.rename('run', 'walk')).rejects.toMatchObject({ errno: 'ENOENT' });
  });
});

it('mv from another project over a draft leaves alone what that was renamed over and is elsewhere by now', async () => {
  await start();
  const parent = world.otherProject;
  const old = await world.put('a', 'kept', parent);
  const { handle } = await world.create('a.new', { parent });
  await world.write(handle, 'draft');
  await world.rename('a.new', 'a', { parent });
  await movedElsewhere(old, { parent, name: 'b' });
  await world.put('other', 'text');
  await world.rename('other', 'a', { toParent: parent });
  await world.close(handle);
  expect(await world.onPlatform(parent)).toEqual({ a: 'text', b: 'kept' });
  expect(await world.onPlatform()).toEqual({ archive: '/' });
});

it('publishes a draft over a file that is read here and was moved elsewhere, and leaves that alone', async () => {
  await start();
  const old = await world.put('a', 'kept');
  const reader = await world.open(old, O_RDONLY);
  const { handle } = await world.create('a.new');
  await world.write(handle, 'new');
  await world.rename('a.new', 'a');
  await movedElsewhere(old, { parent: archive, name: 'a' });
  await world.close(handle);
  expect(await world.read(reader)).toBe('kept');
  await world.close(reader);
  expect(await world.onPlatform(archive)).toEqual({ a: 'kept' });
  expect(await world.onPlatform()).toEqual({ archive: '/', a: 'new' });
});

it('mv that was done, but whose answer was lost, does not delete what it brought', async () => {
  const { TransportError } = await import('../../../../../src/api/errors.ts');
  let lost = false;
  await start({
    capabilities: [],
    api: (api) =>
      withMethods(api, {
        files: withMethods(api.files, {
          move: async (id, to, options) => {
            const moved = await api.files.move(id, to, options);
            if (to.name !== 'a' || lost) return moved;
            lost = true;
            throw new TransportError('no answer', { call: 'POST /files/{id}/actions/move' });
          },
        }),
      }),
  });
  await world.put('a', 'old');
  await world.put('a', 'new', archive);
  await world.rename('a', 'a', { parent: archive, toParent: world.folder });
  expect(await world.onPlatform()).toEqual({ archive: '/', a: 'new' });
  expect(await world.onPlatform(archive)).toEqual({});
});
