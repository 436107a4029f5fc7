import { afterEach, describe, expect, it } from 'vitest';
import type { Api, FilesApi } from '../../../../../src/api/api.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, type WorldOptions, withMethods } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

let world: ChangingWorld;

async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}

afterEach(() => world.end());

/** The API with other ways of some calls on files. */
function failing(api: Api, calls: Partial<FilesApi>): Api {
  return withMethods(api, { files: withMethods(api.files, calls) });
}

async function folder(name: string, parent = world.folder): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

async function annotated(node: ProjectFileNode): Promise<object> {
  const { metadata, tags } = (await world.tree.api.files.get(node.record!.id)) as NonNullable<
    typeof node.record
  >;
  return { metadata, tags };
}

describe('rename between projects', () => {
  it('moves a file and waits for it', async () => {
    await start();
    const node = await world.put('a', 'text');
    const { id } = node.record!;
    await world.rename('a', 'b', { toParent: world.otherProject });
    expect(await world.onPlatform()).toEqual({});
    expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'text' });
    expect(await world.child('b', world.otherProject)).toMatchObject({ record: { id } });
  });

  it('replaces a file there and keeps its metadata', async () => {
    await start();
    const target = await world.put('b', 'old', world.otherProject);
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.otherProject);
    await world.put('a', 'new');
    await world.rename('a', 'b', { toParent: world.otherProject });
    expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'new' });
    const moved = (await world.child('b', world.otherProject)) as ProjectFileNode;
    expect(await annotated(moved)).toMatchObject({ metadata: { sample: 's1' } });
  });

  it('moves a folder', async () => {
    await start();
    const sub = await folder('sub');
    await world.put('a', 'text', sub);
    await world.rename('sub', 'sub', { toParent: world.otherProject });
    expect(await world.onPlatform()).toEqual({});
    const moved = (await world.child('sub', world.otherProject)) as ProjectFolderNode;
    expect(await world.cat('a', moved)).toBe('text');
  });

  it('refuses a file that is being written', async () => {
    await start();
    const { handle } = await world.create('half');
    await world.write(handle, 'text');
    await expect(world.rename('half', 'half', { toParent: world.otherProject })).rejects.toMatchObject({
      errno: 'EBUSY',
    });
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ half: 'text' });
  });
});

describe('a rename that is interrupted', () => {
  let begun = false;

  /** Its call waits, sent or not, until the function that this answers is called. */
  async function stalled(options: WorldOptions = {}, isSent = true): Promise<() => void> {
    begun = false;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await start({
      ...options,
      api: (api) =>
        failing(api, {
          edit: async (id, changes, asked) => {
            begun = true;
            await gate;
            return api.files.edit(id, changes, isSent ? { overwrite: asked?.overwrite === true } : asked);
          },
        }),
    });
    await world.put('a', 'text');
    return open;
  }

  function renaming(signal: AbortSignal): Promise<void> {
    const from = { parent: world.folder, name: 'a' };
    const to = { parent: world.folder, name: 'b' };
    const flags = { noReplace: false, exchange: false, whiteout: false };
    return Promise.resolve(world.side.mutations.rename(from, to, { flags, context: world.by(1, signal) }));
  }

  it('answers at once, goes on, and tells the kernel of its outcome', async () => {
    const goOn = await stalled();
    const told: string[] = [];
    world.tree.kernel.attach({
      invalidateEntry: (_parent, name) => told.push(name),
      lookedUp: () => undefined,
      invalidateNode: () => undefined,
    });
    const interrupt = new AbortController();
    const rename = renaming(interrupt.signal);
    rename.catch(() => undefined);
    await waitUntil(() => begun);
    interrupt.abort();
    await expect(rename).rejects.toMatchObject({ name: 'AbortError' });
    goOn();
    await waitUntil(() => told.includes('b'));
    expect(await world.onPlatform()).toEqual({ b: 'text' });
    expect(await world.child('b')).toBeDefined();
  });

  it('changes nothing when its call was not sent', async () => {
    const goOn = await stalled({}, false);
    const interrupt = new AbortController();
    const rename = renaming(interrupt.signal);
    rename.catch(() => undefined);
    await waitUntil(() => begun);
    interrupt.abort();
    await expect(rename).rejects.toMatchObject({ name: 'AbortError' });
    goOn();
    await world.side.idle(new AbortController().signal);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
    await renaming(new AbortController().signal);
    expect(await world.onPlatform()).toEqual({ b: 'text' });
  });

  it('answers EINTR when the time for it is over', async () => {
    const clock = new FakeClock();
    const goOn = await stalled({ clock, options: { renameWaitMs: 5000 } });
    const rename = renaming(new AbortController().signal);
    rename.catch(() => undefined);
    await waitUntil(() => begun);
    await clock.advance(5000);
    await expect(rename).rejects.toMatchObject({ errno: 'EINTR' });
    goOn();
    await waitUntil(async () => 'b' in (await world.onPlatform()));
  });
});
