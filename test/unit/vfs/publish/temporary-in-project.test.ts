/** Files of a project whose names tools use for a moment: they go to the platform once, as what they will be. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEMPORARY_IN_PROJECTS } from '../../../../src/config/temporary-names.ts';
import { folderIdOf, type ProjectFileNode, type ProjectFolderNode } from '../../../../src/vfs/model/node.ts';
import type { TreeOptions } from '../../../../src/vfs/model/tree.ts';
import { FileMetadata } from '../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_RDONLY } from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { HeldUploads } from '../../../support/held-uploads.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const TEMPORARY = '.a.X1y2Z3';
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

let world: ChangingWorld;
let clock: FakeClock;
let uploads: HeldUploads;

async function start(options: Partial<TreeOptions> = {}): Promise<void> {
  clock = new FakeClock();
  uploads = new HeldUploads();
  world = await ChangingWorld.start({
    clock,
    options: { temporaryInProjects: TEMPORARY_IN_PROJECTS, ...options },
    api: (api) => uploads.over(api),
  });
  // The mount asks with the first upload what the service can do.
  await world.put('warm', 'up');
  await unlink('warm');
  await world.tree.childrenOf(world.folder, world.by().signal);
}
beforeEach(() => start());
afterEach(() => world.end());

const unlink = (name: string) => world.side.mutations.unlink({ parent: world.folder, name }, world.by());
const idle = () => world.side.idle(world.by().signal);
const metadata = () => new FileMetadata(world.tree);

async function costOf(work: () => unknown): Promise<number> {
  const { stats } = world.service.services;
  stats.reset();
  await work();
  return stats.apiRequests;
}

async function described(name: string) {
  const node = (await world.child(name)) as ProjectFileNode;
  const record = await world.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? { metadata: record.metadata, tags: record.tags } : undefined;
}

describe('a closed file', () => {
  it.each([TEMPORARY, 'sedX1y2Z3', '.goutputstream-AB12C3'])(
    'named %s costs one request with its attributes and its rename',
    async (name) => {
      const cost = await costOf(async () => {
        const node = await world.put(name, 'text');
        const how = { handle: undefined, context: world.by() };
        await world.side.mutations.setattr(node, { mode: 0o600, mtimeNs: 7n }, how);
        await metadata().merge(node, { k: 'v' }, world.by().signal);
        await metadata().setTags(node, ['t'], world.by().signal);
        await world.rename(name, 'a');
      });
      expect(cost).toBe(1);
      expect(await world.onPlatform()).toEqual({ a: 'text' });
      const pairs = { k: 'v', 'svcfs.mode': '600', 'svcfs.mtime': '0.000000007' };
      expect(await described('a')).toEqual({ metadata: pairs, tags: ['t'] });
      expect(await world.side.idle(world.by().signal)).toEqual({ waiting: [], refused: [] });
    },
  );

  it('is removed without a request, written or not', async () => {
    const cost = await costOf(async () => {
      await world.close((await world.create('4913')).handle);
      await unlink('4913');
      await world.put(TEMPORARY, 'text');
      expect(await world.cat(TEMPORARY)).toBe('text');
      await unlink(TEMPORARY);
      await idle();
    });
    expect(cost).toBe(0);
  });

  it('goes up under its own name after a minute, and is renamed there then', async () => {
    await world.put(TEMPORARY, 'text');
    await clock.advance(MINUTE_MS - 1);
    expect(await world.onPlatform()).toEqual({});
    await clock.advance(1);
    await waitUntil(async () => TEMPORARY in (await world.onPlatform()));
    expect(await costOf(() => world.rename(TEMPORARY, 'a'))).toBeLessThanOrEqual(2);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });

  it('goes up after a minute though that fails at first', async () => {
    await world.put(TEMPORARY, 'text');
    uploads.held = true;
    await clock.advance(MINUTE_MS);
    (await uploads.nth(1)).fail();
    uploads.held = false;
    await waitUntil(async () => {
      await clock.advance(1000);
      return TEMPORARY in (await world.onPlatform());
    });
  });

  it('stays while a program has it open, or opened it since', async () => {
    const node = await world.put(TEMPORARY, 'text');
    await clock.advance(MINUTE_MS - 1);
    const handle = await world.open(node, O_RDONLY);
    await clock.advance(MINUTE_MS);
    await world.close(handle);
    await clock.advance(MINUTE_MS - 1);
    expect(await world.onPlatform()).toEqual({});
    await world.rename(TEMPORARY, 'a');
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });

  it.each([
    ['svcfs flush', () => world.side.flush('/', world.by().signal)],
    ['the end of the mount', idle],
  ])('goes up under its own name by %s', async (_, end) => {
    await world.put(TEMPORARY, 'text');
    await end();
    expect(await world.onPlatform()).toEqual({ [TEMPORARY]: 'text' });
  });

  it('is brought to the platform by the next mount, after a kill', async () => {
    await metadata().merge(await world.put(TEMPORARY, 'text'), { k: 'v' }, world.by().signal);
    const next = await world.afterKill();
    try {
      await next.side.flush('/', next.by().signal);
      expect(await world.onPlatform()).toEqual({ [TEMPORARY]: 'text' });
      expect(metadata().pairs((await next.child(TEMPORARY)) as ProjectFileNode)).toEqual({ k: 'v' });
    } finally {
      await next.end();
    }
  });

  it('moves with its folder, and to another project', async () => {
    const place = { parent: world.folder, name: 'd' };
    const folder = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
    await world.put(TEMPORARY, 'in d', folder);
    await world.rename('d', 'e');
    expect(await world.cat(TEMPORARY, (await world.child('e')) as ProjectFolderNode)).toBe('in d');
    await world.put('sedX1y2Z3', 'text');
    await world.rename('sedX1y2Z3', 'f', { toParent: world.otherProject });
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'text' });
  });

  it('that was killed half-way is kept aside, and nothing of it goes up', async () => {
    const { handle } = await world.create(TEMPORARY);
    await world.write(handle, 'ha');
    world.processes.ends.set(1, 'kill');
    await world.close(handle);
    await clock.advance(2 * MINUTE_MS);
    await idle();
    expect(await world.onPlatform()).toEqual({});
    expect(await world.child(TEMPORARY)).toBeUndefined();
    expect(await world.writer.keptAside()).toMatchObject([
      { label: `/one/${TEMPORARY}`, acknowledged: false },
    ]);
  });
});

describe('its rename over a file', () => {
  it('costs one request, and keeps the metadata and tags of that', async () => {
    const node = await world.put('a', 'old');
    await metadata().merge(node, { sample: 's1', lane: '4' }, world.by().signal);
    await metadata().setTags(node, ['raw'], world.by().signal);
    const cost = await costOf(async () => {
      await metadata().merge(await world.put(TEMPORARY, 'new'), { lane: '5' }, world.by().signal);
      await world.rename(TEMPORARY, 'a');
    });
    expect(cost).toBe(1);
    expect(await world.onPlatform()).toEqual({ a: 'new' });
    expect(await described('a')).toEqual({ metadata: { sample: 's1', lane: '5' }, tags: ['raw'] });
  });

  it('leaves a program that has the old one open reading that', async () => {
    await world.put('a', 'old');
    const handle = await world.open((await world.child('a'))!, O_RDONLY);
    await world.put(TEMPORARY, 'new');
    await world.rename(TEMPORARY, 'a');
    expect([await world.read(handle), await world.cat('a')]).toEqual(['old', 'new']);
    await world.close(handle);
    await idle();
    expect([await world.onPlatform(), await world.asides()]).toEqual([{ a: 'new' }, []]);
  });

  it.each(['refuse', 'fail'] as const)(
    'changes nothing when the upload ends so: %s; and can be made again',
    async (how) => {
      await metadata().merge(await world.put('a', 'old'), { sample: 's1' }, world.by().signal);
      const handle = await world.open((await world.child('a'))!, O_RDONLY);
      const node = await world.put(TEMPORARY, 'new');
      uploads.held = true;
      const renamed = world.rename(TEMPORARY, 'a');
      (await uploads.nth(1))[how]();
      await expect(renamed).rejects.toThrow();
      uploads.held = false;
      expect(await world.onPlatform()).toEqual({ a: 'old' });
      expect([await world.cat('a'), await world.read(handle), await world.cat(TEMPORARY)]).toEqual([
        'old',
        'old',
        'new',
      ]);
      expect(metadata().pairs(node)).toEqual({});
      await world.close(handle);
      await world.rename(TEMPORARY, 'a');
      expect(await world.onPlatform()).toEqual({ a: 'new' });
      expect((await described('a'))?.metadata).toEqual({ sample: 's1' });
      await idle();
      expect(await world.asides()).toEqual([]);
    },
  );

  it('replaces one that another client has put there meanwhile, also with --conflict=fail', async () => {
    await world.end();
    await start({ conflict: 'fail' });
    await world.put(TEMPORARY, 'new');
    await world.user.upload(folderIdOf(world.folder), 'a', 'of another');
    await world.rename(TEMPORARY, 'a');
    expect(await world.onPlatform()).toEqual({ a: 'new' });
  });

  it('has a trash take the old one, which is back when the upload is refused', async () => {
    await world.end();
    await start({ trashDays: 30 });
    await world.put('a', 'old');
    await world.put(TEMPORARY, 'new');
    uploads.held = true;
    const renamed = world.rename(TEMPORARY, 'a');
    (await uploads.nth(1)).refuse();
    await expect(renamed).rejects.toThrow();
    uploads.held = false;
    expect(await world.onPlatform()).toMatchObject({ a: 'old' });
    await world.rename(TEMPORARY, 'a');
    const { a, ...others } = await world.onPlatform();
    expect([a, Object.keys(others)]).toEqual(['new', ['.svcfs-trash']]);
    expect(await world.asides()).toEqual([]);
  });

  it('of another name of a moment asks for nothing', async () => {
    const cost = await costOf(async () => {
      await world.put(TEMPORARY, 'text');
      await world.rename(TEMPORARY, '.b.X1y2Z3');
      await world.rename('.b.X1y2Z3', 'b');
    });
    expect(cost).toBe(1);
    expect(await world.onPlatform()).toEqual({ b: 'text' });
  });

  it('is done by its writer that has it open, and goes up once it closes it', async () => {
    const cost = await costOf(async () => {
      const { handle } = await world.create(TEMPORARY);
      await world.write(handle, 'text');
      await world.rename(TEMPORARY, 'a');
      await world.close(handle);
    });
    expect(cost).toBe(1);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });
});

it('a large file is sent while it is written, and not again for its name', async () => {
  const { handle } = await world.create(TEMPORARY);
  const part = 'x'.repeat(MIB);
  for (let at = 0; at < 33; at += 1) await world.write(handle, part, at * MIB);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({});
  await world.rename(TEMPORARY, 'a');
  expect(world.service.services.stats.storagePutBytes).toBe(33 * MIB);
  expect(Object.keys(await world.onPlatform())).toEqual(['a']);
});

it('every close is an upload where no name is one of a moment', async () => {
  await world.end();
  await start({ temporaryInProjects: [] });
  await world.put(TEMPORARY, 'v1');
  expect(await world.onPlatform()).toEqual({ [TEMPORARY]: 'v1' });
});
