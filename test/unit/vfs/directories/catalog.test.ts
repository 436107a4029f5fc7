import { beforeEach, describe, expect, it } from 'vitest';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** For which an absence counts. */
const MOMENT_MS = 10_000;

let world: ReadingWorld;
beforeEach(() => {
  world = new ReadingWorld();
});

describe('projects that were asked for ahead', () => {
  it('are found without another request, also while the answer is on its way', async () => {
    const release = world.platform.hold('projects.list');
    world.catalogs.projects.askAhead();
    const looking = world.at('projects/ada/one');
    release();
    expect(await looking).toMatchObject({ kind: 'project-folder' });
    await world.at('projects/ada/two');
    expect(world.platform.taken()).toEqual(['projects.list']);
  });

  it('are not all there are: one made since is found, and listed', async () => {
    world.catalogs.projects.askAhead();
    await waitUntil(() => world.platform.calls.length === 1);
    await world.at('projects/ada/one');
    world.platform.projects.push('three');
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['one', 'two', 'three']);
    expect(await world.at('projects/ada/three')).toMatchObject({ kind: 'project-folder' });
    expect(world.platform.taken()).toEqual(['projects.list', 'projects.list']);
  });

  it('count no longer than other facts, whenever they are first used', async () => {
    world.catalogs.projects.askAhead();
    await world.clock.advance(TTL_MS - 1000);
    await world.at('projects/ada/two');
    world.platform.projects.splice(1);
    await world.clock.advance(1000);
    expect(await world.lookup('projects/ada/two')).toBeUndefined();
  });

  it('count no longer for being found in another directory', async () => {
    const ada = await world.directory('projects/ada');
    await world.clock.advance(TTL_MS - 1000);
    expect(await world.list(ada)).toEqual(['one', 'two']);
    expect(world.platform.taken()).toEqual(['projects.list']);
    world.platform.projects.push('three');
    await world.clock.advance(1000);
    expect(await world.list(ada)).toEqual(['one', 'two', 'three']);
  });

  it('undo nothing that was learnt meanwhile', async () => {
    const release = world.platform.hold('projects.list');
    world.catalogs.projects.askAhead();
    const looking = world.lookup('projects/ada/two');
    await waitUntil(() => world.platform.calls.length === 1);
    const listing = world.list(await world.directory('projects'));
    await waitUntil(() => world.platform.calls.length === 2);
    world.platform.projects.splice(1);
    release();
    expect(await listing).toEqual(['ada']);
    await looking;
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['one']);
  });

  it('are told to be out of reach to who waited for them', async () => {
    const release = world.platform.hold('projects.list');
    world.platform.failing.set('projects.list', 0);
    world.catalogs.projects.askAhead();
    const projects = await world.directory('projects');
    const looking = Promise.resolve(world.tree.childOf(projects, 'ada', NEVER));
    release();
    await expect(looking).rejects.toThrow('no answer to projects.list');
    world.platform.failing.clear();
    expect(await world.at('projects/ada/one')).toMatchObject({ kind: 'project-folder' });
  });

  it('are asked for again when they could not be had', async () => {
    world.platform.failing.set('projects.list', 0);
    world.catalogs.projects.askAhead();
    await waitUntil(() => world.platform.calls.length === 1);
    world.platform.failing.clear();
    expect(await world.at('projects/ada/one')).toMatchObject({ kind: 'project-folder' });
  });
});

describe('what is made elsewhere is found at once when it is named', () => {
  it.each([
    ['projects', 'projects.get'],
    ['volumes', 'volumes.get'],
  ] as const)('in %s/<owner>, for one request, also after that was listed', async (kind, call) => {
    expect(await world.lookup(`${kind}/ada/new`)).toBeUndefined();
    await world.list(await world.directory(`${kind}/ada`));
    world.platform[kind].push('new');
    await world.clock.advance(MOMENT_MS);
    world.platform.taken();
    const node = await world.at(`${kind}/ada/new`);
    expect(node.kind).toBe(kind === 'projects' ? 'project-folder' : 'volume-directory');
    expect(world.platform.taken()).toEqual([call]);
    expect(await world.at(`${kind}/ada/new`)).toBe(node);
    expect(await world.list(await world.directory(`${kind}/ada`))).toContain('new');
    expect(world.platform.taken()).toEqual([]);
  });

  it.each(['projects', 'volumes'] as const)('in %s, whose first owner appears', async (kind) => {
    const there = world.platform[kind].splice(0);
    expect(await world.list(await world.directory(kind))).toEqual([]);
    expect(await world.lookup(`${kind}/ada`)).toBeUndefined();
    world.platform[kind].push(...there);
    await world.clock.advance(MOMENT_MS);
    expect(await world.at(`${kind}/ada/${there[0]}`)).toBeDefined();
  });

  it('though it was absent before: the kernel may not keep that', async () => {
    const owner = await world.directory('projects/ada');
    await world.lookup('projects/ada/absent');
    expect(world.tree.absenceTtl(owner, 'absent')).toBe(0);
  });

  it('but an absence counts for a moment, or until something is told or asked anew', async () => {
    const calls = async (): Promise<readonly string[]> => {
      expect(await world.lookup('projects/ada/HEAD')).toBeUndefined();
      expect(await world.lookup('projects/HEAD')).toBeUndefined();
      return world.platform.taken();
    };
    await world.at('projects/ada/one');
    await world.clock.advance(MOMENT_MS);
    world.platform.taken();
    expect(await calls()).toEqual(['projects.get', 'projects.list']);
    await world.clock.advance(MOMENT_MS - 1);
    expect(await calls()).toEqual([]);
    await world.clock.advance(1);
    expect(await calls()).toEqual(['projects.get', 'projects.list']);
    world.catalogs.projects.expire();
    world.platform.projects.push('HEAD');
    expect(await world.at('projects/ada/HEAD')).toBeDefined();
  });

  it('also with an owner of whom there was nothing in the list a moment ago', async () => {
    await world.list(await world.directory('projects'));
    world.platform.taken();
    expect(await world.lookup('projects/eve')).toBeUndefined();
    expect(world.platform.taken()).toEqual(['projects.list']);
  });

  it('without a request for names that no project can have', async () => {
    await world.at('projects/ada/one');
    world.platform.taken();
    expect(await world.lookup('projects/.git')).toBeUndefined();
    expect(await world.lookup('projects/ada/.git')).toBeUndefined();
    expect(world.platform.taken()).toEqual([]);
  });

  it('by its exact case', async () => {
    world.platform.projects.push('new');
    const { get } = world.platform.api.projects;
    expect(await get('ada/new')).toMatchObject({ shortName: 'new' });
    expect(await world.lookup('projects/ada/New')).toBeUndefined();
  });
});
