import { beforeEach, describe, expect, it } from 'vitest';
import { ReadingWorld, TTL_MS } from '../../support/reading-world.ts';
import { waitUntil } from '../../support/wait-until.ts';

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

  it('count no longer than other facts', async () => {
    world.catalogs.projects.askAhead();
    await world.at('projects/ada/one');
    world.platform.projects.splice(1);
    await world.clock.advance(TTL_MS);
    expect(await world.lookup('projects/ada/two')).toBeUndefined();
  });

  it('are asked for again when they could not be had', async () => {
    world.platform.failing.set('projects.list', 0);
    world.catalogs.projects.askAhead();
    await waitUntil(() => world.platform.calls.length === 1);
    world.platform.failing.clear();
    expect(await world.at('projects/ada/one')).toMatchObject({ kind: 'project-folder' });
  });
});
