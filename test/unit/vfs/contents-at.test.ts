import { beforeEach, describe, expect, it } from 'vitest';
import { contentsAt, type FoundContent } from '../../../src/vfs/contents-at.ts';
import { NEVER, ReadingWorld } from '../../support/reading-world.ts';

const PROJECT = '/projects/ada/one';

let world: ReadingWorld;
let root: string;
let failed: string[];
beforeEach(() => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
  failed = [];
});

function contents(path = PROJECT): AsyncGenerator<FoundContent> {
  return contentsAt(world.tree, path, { signal: NEVER, onFailure: (at) => void failed.push(at) });
}

async function pathsOf(found: AsyncIterable<FoundContent>): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of found) paths.push(path);
  return paths;
}

describe('the files below a folder', () => {
  it('are found in folders of it too', async () => {
    world.platform.addFile(root, 'b');
    world.platform.addFile(world.platform.addFolder(root, 'a').id, 'x');
    expect(await pathsOf(contents())).toEqual([`${PROJECT}/a/x`, `${PROJECT}/b`]);
    expect(failed).toEqual([]);
  });

  it('are found after what cannot be looked at', async () => {
    world.platform.addFile(root, 'b');
    world.platform.addFile(world.platform.addFolder(root, 'a').id, 'x');
    world.platform.failing.set('files.list', 1);
    expect(await pathsOf(contents())).toEqual([`${PROJECT}/b`]);
    expect(failed).toEqual([`${PROJECT}/a`]);
  });

  it('are those that have the names when their turn comes', async () => {
    world.platform.addFile(root, 'a');
    const renamed = world.platform.addFile(root, 'b');
    const deleted = world.platform.addFile(root, 'c');
    const found = contents();
    await found.next();
    world.platform.files.set(renamed.id, { ...renamed, name: 'd' });
    world.platform.files.delete(deleted.id);
    const { id } = world.platform.addFile(root, 'b');
    const folder = await world.directory(PROJECT);
    world.tree.expire(folder);
    await world.list(folder);
    expect(await found.next()).toMatchObject({ value: { path: `${PROJECT}/b`, version: { fileId: id } } });
    expect(await found.next()).toMatchObject({ done: true });
    expect(failed).toEqual([]);
  });
});

it('what is not there is told', async () => {
  expect(await pathsOf(contents(`${PROJECT}/none`))).toEqual([]);
  expect(failed).toEqual([`${PROJECT}/none`]);
});
