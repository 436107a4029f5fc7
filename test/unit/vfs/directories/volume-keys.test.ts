/** Keys of a volume are opaque: whatever they look like, each is one entry of the tree, and has its own bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DirectoryNode, Node } from '../../../../src/vfs/model/node.ts';
import { isDirectory } from '../../../../src/vfs/model/node.ts';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

const VOLUME = 'volumes/ada/bucket';
const ODD = [
  'v//only',
  'w/x',
  'w//x',
  '/lead',
  'trail/',
  '.',
  '..',
  'a',
  'a/b',
  'p/../a',
  'p/./q',
  '//',
  'x/svc~y',
];

function worldWith(keys: readonly string[]): ReadingWorld {
  const world = new ReadingWorld();
  for (const key of keys) world.platform.addObject(key);
  return world;
}

/** Every file below a directory: its path in the mount, and the key that its node stands for. */
async function walk(world: ReadingWorld, top: DirectoryNode, path: string): Promise<[string, string][]> {
  const files: [string, string][] = [];
  for (const name of await world.list(top)) {
    const node = await world.tree.childOf(top, name, NEVER);
    if (!node) throw new Error(`${path}/${name} is listed and not there`);
    files.push(
      ...(isDirectory(node) ? await walk(world, node, `${path}/${name}`) : [file(node, `${path}/${name}`)]),
    );
  }
  return files;
}

function file(node: Node, path: string): [string, string] {
  if (node.kind !== 'volume-object') throw new Error(`${path} is a ${node.kind}`);
  return [path, node.record?.location ?? ''];
}

/** The entry that a mount finds at a path when it has listed nothing yet. */
async function found(keys: readonly string[], path: string): Promise<string | undefined> {
  const node = await worldWith(keys).lookup(path);
  return node?.kind === 'volume-object' ? node.record?.location : undefined;
}

async function requireEachOnce(keys: readonly string[]): Promise<void> {
  const world = worldWith(keys);
  const files = await walk(world, await world.directory(VOLUME), VOLUME);
  expect(files.map(([, key]) => key).sort()).toEqual([...keys].sort());
  expect(new Set(files.map(([path]) => path)).size).toBe(keys.length);
  for (const [path, key] of files) {
    expect(await found(keys, path)).toBe(key);
    await world.clock.advance(TTL_MS);
    expect(file(await world.at(path), path)).toEqual([path, key]);
  }
}

describe('the tree of a volume', () => {
  it('shows each odd key once, under a name that finds it', () => requireEachOnce(ODD));

  it('shows each key of any set once, under a name that finds it', async () => {
    const key = fc.string({ unit: fc.constantFrom('a', '/', '.', '%'), minLength: 1, maxLength: 8 });
    const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 12 });
    await fc.assert(fc.asyncProperty(keys, requireEachOnce), { numRuns: 150 });
  });

  it('is that of SEMANTICS', async () => {
    const world = worldWith(ODD);
    const paths = (await walk(world, await world.directory(VOLUME), '')).map(([path, key]) => [key, path]);
    expect(Object.fromEntries(paths)).toMatchObject({
      'v//only': '/v/svc~%2F/only',
      'w/x': '/w/x',
      'w//x': '/w/svc~%2F/x',
      '/lead': '/svc~%2F/lead',
      'trail/': '/trail/svc~',
      '.': '/svc~.',
      '..': '/svc~..',
      a: '/a',
      'a/b': '/svc~a%2F/b',
      'p/../a': '/p/svc~..%2F/a',
    });
  });
});

describe('a platform that collapses slashes', () => {
  it('never has the tree hold itself, nor another key under a name', async () => {
    const world = worldWith(['w/x', '/lead', 'a/b']);
    const { contents } = world.platform.api.volumes;
    const { volumes } = world.tree.api as { volumes: { contents: typeof contents } };
    volumes.contents = (volume, query, options) =>
      contents(volume, { ...query, prefix: query.prefix.replace(/^\/|\/(?=\/)/g, '') }, options);
    const top = await world.directory(VOLUME);
    expect((await world.list(top)).sort()).toEqual(['a', 'svc~%2F', 'w']);
    await expect(world.list(await world.directory(`${VOLUME}/svc~%2F`))).rejects.toMatchObject({
      errno: 'EIO',
    });
    expect(await world.lookup(`${VOLUME}/w/svc~%2F/x`)).toBeUndefined();
  });
});

describe('pages of a volume that are empty for ever', () => {
  it.each([
    ['a listing', (world: ReadingWorld, top: DirectoryNode) => world.list(top)],
    ['a lookup', (world: ReadingWorld, top: DirectoryNode) => world.tree.childOf(top, 'level', NEVER)],
  ])('end %s with EIO, and the reason', async (_, ask) => {
    const world = worldWith(['level/key']);
    const top = await world.directory(VOLUME);
    world.platform.volumePage = 0;
    await expect(ask(world, top)).rejects.toMatchObject({
      errno: 'EIO',
      message: expect.stringContaining('without a name'),
    });
    expect(world.platform.taken().length).toBeLessThan(1100);
  });
});
