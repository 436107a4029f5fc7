import { describe, expect, it } from 'vitest';
import { TREES as OFFERED } from '../../../../src/config/mount/selecting.ts';
import { TREES, unselectedAt } from '../../../../src/vfs/directories/selection.ts';
import { ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

describe('a mount of some projects', () => {
  it('asks for those that are named, and for no list', async () => {
    const world = new ReadingWorld({}, { selection: { projects: ['ada/two'] } });
    expect(await world.list(await world.directory('projects'))).toEqual(['ada']);
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['two']);
    expect(world.platform.taken()).toEqual(['projects.get']);
  });

  it('looks for no other', async () => {
    const world = new ReadingWorld({}, { selection: { projects: ['ada/two'] } });
    await world.directory('projects/ada');
    world.platform.taken();
    expect(await world.lookup('projects/ada/one')).toBeUndefined();
    expect(await world.lookup('projects/bob')).toBeUndefined();
    expect(world.platform.taken()).toEqual([]);
  });

  it('has a project made later that fits a pattern, and none that does not', async () => {
    const world = new ReadingWorld({}, { selection: { projects: ['*/t*'] } });
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['two']);
    world.platform.projects.push('three', 'four');
    expect(await world.at('projects/ada/three')).toMatchObject({ kind: 'project-folder' });
    expect(await world.lookup('projects/ada/four')).toBeUndefined();
    await world.clock.advance(TTL_MS);
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['two', 'three']);
  });

  it('shows no owner who has none of them', async () => {
    const world = new ReadingWorld({}, { selection: { projects: ['bob/*'] } });
    expect(await world.list(await world.directory('projects'))).toEqual([]);
    expect(await world.list(await world.directory('volumes'))).toEqual(['ada']);
  });

  it('lacks a named one that was deleted, and has the others', async () => {
    const world = new ReadingWorld({}, { selection: { projects: ['ada/one', 'ada/two'] } });
    world.platform.projects.splice(0, 1);
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['two']);
  });
});

describe('--trees', () => {
  it('has the names that the tree knows', () => {
    expect(OFFERED).toEqual(TREES);
  });

  it('leaves the others out', async () => {
    const world = new ReadingWorld({}, { selection: { trees: ['volumes'] } });
    expect(await world.list(world.tree.root)).toEqual(['volumes']);
    expect(await world.lookup('projects/ada')).toBeUndefined();
    expect(world.platform.taken()).toEqual([]);
  });
});

describe('the reason why there is nothing', () => {
  const selection = { trees: ['projects'], projects: ['lab/rna', 'lab/x*'] } as const;

  it.each([
    ['/volumes/lab', 'the mount does not show volumes (--trees projects)'],
    ['/projects/other', 'of the projects, the mount shows those of --project lab/rna --project lab/x* only'],
    [
      '/projects/lab/dna/f',
      'of the projects, the mount shows those of --project lab/rna --project lab/x* only',
    ],
    ['/projects/lab/xyz/f', undefined],
    ['/projects/lab', undefined],
    ['/projects', undefined],
    ['/', undefined],
    ['/.svcfs/errors', undefined],
  ])('is told of %s', (path, expected) => {
    expect(unselectedAt(selection, path)).toBe(expected);
  });
});
