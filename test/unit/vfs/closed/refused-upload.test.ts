/** `--write-back`: what a close acknowledged, and the platform then refuses for good. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { filesAside, filesOwed, type KeptFile } from '../../../../src/content/write/kept/kept-files.ts';
import { saveKept } from '../../../../src/content/write/kept/save-kept.ts';
import { folderIdOf, type ProjectFileNode, type ProjectFolderNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, type WorldOptions, withMethods } from '../../../support/changing-world.ts';
import { refusal } from '../../../support/held-uploads.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ChangingWorld;
let refuses: (name: string) => boolean;
let tries: number;
beforeEach(() => {
  refuses = () => true;
  tries = 0;
});
afterEach(() => world.end());

const options: WorldOptions = {
  options: { writeBack: true },
  api: (real: Api): Api => {
    const inline: typeof real.uploads.inline = (request, ...rest) => {
      tries += 1;
      return refuses(request.name) ? Promise.reject(refusal) : real.uploads.inline(request, ...rest);
    };
    return withMethods(real, { uploads: withMethods(real.uploads, { inline }) });
  },
};

async function start(): Promise<void> {
  world = await ChangingWorld.start(options);
}

const messages = (failures: readonly Error[]): readonly string[] => failures.map(({ message }) => message);
const flush = async (path = '/'): Promise<readonly string[]> =>
  messages(await world.side.flush(path, world.by().signal));

/** As `svcfs recover list` finds them. */
async function kept(directory = 'client', served = true): Promise<readonly KeptFile[]> {
  const { signal } = world.by();
  const uploads = join(world.service.dataDir, directory, 'up');
  return [
    ...(await filesOwed(uploads, { signal, served, onDamage: () => expect.fail() })),
    ...(await filesAside(uploads)),
  ];
}

async function refused(name: string, text: string): Promise<string> {
  const node = await world.put(name, text);
  await waitUntil(async () => (await kept()).some(({ label }) => label === `/one/${name}`));
  return node.draft!.id;
}

describe('a file whose upload is refused after its close', () => {
  it('stays in the mount, and is named by flush until it is dealt with', async () => {
    await start();
    await refused('f', 'precious');
    expect(await world.cat('f')).toBe('precious');
    for (let asked = 0; asked < 2; asked += 1) {
      const [failure, ...others] = await flush('/one/f');
      expect(others).toEqual([]);
      expect(failure).toContain('/one/f was closed, and cannot be published');
      expect(failure).toContain('svcfs recover');
      const [, place = ''] = /its bytes are at (\S+);/.exec(failure ?? '') ?? [];
      expect(await readFile(place, 'utf8')).toBe('precious');
    }
    expect(await flush('/one/other')).toEqual([]);
    expect(tries).toBe(1);
  });

  it('is named by flush of its folder, and by its path, when another client has removed that folder', async () => {
    await start();
    await world.side.mutations.mkdir({ parent: world.folder, name: 'd' }, 0o755, world.by());
    const folder = (await world.child('d')) as ProjectFolderNode;
    const node = await world.put('f', 'precious', folder);
    await waitUntil(async () => (await kept()).length === 1);
    await world.user.call('DELETE', `/files/${folderIdOf(folder)}`);
    world.tree.expire(world.folder);
    expect(await world.child('d')).toBeUndefined();
    expect(node.parent).toBeUndefined();
    expect(await flush('/one/d')).toEqual([expect.stringContaining('/one/d/f was closed')]);
    const { refused: named } = await world.side.idle(world.by().signal);
    expect(named).toEqual([expect.stringContaining('/one/d/f was closed')]);
  });

  it('is named by unmount', async () => {
    await start();
    await refused('f', 'precious');
    const { waiting, refused: named } = await world.side.idle(world.by().signal);
    expect(waiting).toEqual([]);
    expect(named).toEqual([expect.stringContaining('/one/f was closed')]);
  });

  it('is kept like any other when it is empty', async () => {
    await start();
    const { node, handle } = await world.create('empty');
    await world.close(handle);
    await waitUntil(async () => (await flush()).length > 0);
    expect(await flush()).toEqual([expect.stringContaining('it has no bytes')]);
    expect(await world.cat('empty')).toBe('');
    const [file] = await kept();
    expect(file).toMatchObject({ state: 'refused', label: '/one/empty', sizeBytes: 0, acknowledged: true });
    const to = join(world.service.dataDir, 'saved');
    await saveKept(file!, to, { replace: false });
    expect(await readFile(to, 'utf8')).toBe('');
    expect((node as ProjectFileNode).draft).toBeDefined();
  });

  it('tells why with the answer of the platform, and what to do about that', async () => {
    await start();
    await refused('f', 'precious');
    const { text = '' } = world.tree.errors.lastAt('/one/f') ?? {};
    expect(text).toContain('code 8001');
    expect(text).toContain('Ask an administrator of the project');
    expect(text).toContain('its bytes are at');
  });

  it('is uploaded when that is asked for and the platform takes it', async () => {
    await start();
    const id = await refused('f', 'precious');
    expect(messages(await world.side.retryKept(id, world.by().signal))).toHaveLength(1);
    refuses = () => false;
    expect(messages(await world.side.retryKept(id, world.by().signal))).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: 'precious' });
    expect(await kept()).toEqual([]);
    expect(await flush()).toEqual([]);
  });

  it('is uploaded under a name that the platform takes', async () => {
    await start();
    refuses = (name) => name === 'f';
    await refused('f', 'precious');
    await world.rename('f', 'g');
    expect(await flush()).toEqual([]);
    expect(await world.onPlatform()).toEqual({ g: 'precious' });
  });

  it('is uploaded when it is written again and the platform takes it', async () => {
    await start();
    await refused('f', 'precious');
    refuses = () => false;
    await world.put('f', 'new');
    expect(await flush()).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: 'new' });
    expect(await kept()).toEqual([]);
  });

  it('is gone when it is dropped, and what it was to replace is back', async () => {
    await start();
    refuses = () => false;
    await world.put('f', 'old');
    expect(await flush()).toEqual([]);
    refuses = () => true;
    const id = await refused('f', 'precious');
    const reader = await world.open((await world.child('f'))!, O_RDONLY);
    await expect(world.side.dropKept(id)).rejects.toThrow('is open');
    await world.close(reader);
    expect(await world.side.dropKept(id)).toBe(true);
    expect(await world.cat('f')).toBe('old');
    expect(await kept()).toEqual([]);
    expect(await flush()).toEqual([]);
    expect(await world.side.dropKept(id)).toBe(false);
  });

  it('is not dropped while its upload goes on', async () => {
    await start();
    const node = await world.put('f', 'precious');
    await expect(world.side.dropKept(node.draft!.id)).rejects.toThrow('its upload goes on');
    await flush();
  });

  it('goes with rm, also while it is read', async () => {
    await start();
    await refused('f', 'precious');
    const reader = await world.open((await world.child('f'))!, O_RDONLY);
    await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
    expect(await flush()).toEqual([]);
    expect((await world.side.idle(world.by().signal)).refused).toEqual([]);
    await world.close(reader);
    expect(await kept()).toEqual([]);
  });

  it('is there in the next mount, which tries it once more, and names it as well', async () => {
    await start();
    await refused('f', 'precious');
    expect((await kept('client', false)).map(({ state, label }) => [state, label])).toEqual([
      ['refused', '/one/f'],
    ]);
    const next = await world.afterKill(options);
    try {
      expect(await next.cat('f')).toBe('precious');
      await waitUntil(async () => (await next.side.flush('/', next.by().signal)).length > 0);
      expect(tries).toBe(2);
      expect(await kept('client-killed')).toMatchObject([{ state: 'refused', label: '/one/f' }]);
    } finally {
      await next.end();
    }
  });
});

describe('a file that is kept aside', () => {
  async function aside(): Promise<KeptFile> {
    await start();
    refuses = () => false;
    // Another client takes the name of a file that was new here.
    const { handle } = await world.create('f', { flags: 0o301 });
    await world.write(handle, 'ours');
    await world.user.upload(folderIdOf(world.folder), 'f', 'theirs');
    await world.close(handle);
    await waitUntil(async () => (await kept()).length > 0);
    return (await kept())[0]!;
  }

  it('is named by flush and unmount, with its place', async () => {
    const file = await aside();
    expect(file).toMatchObject({ state: 'aside', label: '/one/f', acknowledged: true });
    expect(await readFile(file.path!, 'utf8')).toBe('ours');
    expect(await flush()).toEqual([expect.stringContaining(`its bytes are at ${file.path}`)]);
    expect((await world.side.idle(world.by().signal)).refused).toHaveLength(1);
  });

  it('does not hide another one that is refused under the same name since', async () => {
    const { path } = await aside();
    world.tree.expire(world.folder);
    await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
    refuses = () => true;
    await world.put('f', 'newer');
    await waitUntil(async () => (await kept()).length === 2);
    const failures = await flush();
    expect(failures).toHaveLength(2);
    expect(failures).toContainEqual(expect.stringContaining(`its bytes are at ${path}`));
    expect(failures).toContainEqual(expect.stringContaining('.spool;'));
  });

  it('is uploaded when that is asked for and its name is free again', async () => {
    const { id } = await aside();
    expect(messages(await world.side.retryKept(id, world.by().signal))).toHaveLength(1);
    expect(await world.onPlatform()).toEqual({ f: 'theirs' });
    expect(await kept()).toMatchObject([{ state: 'aside', label: '/one/f' }]);
    world.tree.expire(world.folder);
    await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
    expect(messages(await world.side.retryKept(id, world.by().signal))).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: 'ours' });
    expect(await kept()).toEqual([]);
    expect(await readdir(join(world.service.dataDir, 'client', 'up', 'recovered'))).toEqual([]);
  });
});

describe('saving what is kept', () => {
  it('never replaces a file unless told', async () => {
    await start();
    await refused('f', 'precious');
    const [file] = await kept();
    const directory = join(world.service.dataDir, 'saved');
    await mkdir(directory);
    const to = join(directory, 'f');
    await saveKept(file!, to, { replace: false });
    expect(await readFile(to, 'utf8')).toBe('precious');
    await world.put('f', 'another');
    await waitUntil(async () => (await kept())[0]?.sizeBytes === 'another'.length);
    const [now] = await kept();
    await expect(saveKept(now!, to, { replace: false })).rejects.toThrow('EEXIST');
    expect(await readFile(to, 'utf8')).toBe('precious');
    await saveKept(now!, to, { replace: true });
    expect(await readFile(to, 'utf8')).toBe('another');
    expect(await readdir(directory)).toEqual(['f']);
  });
});
