import { beforeEach, describe, expect, it, vi } from 'vitest';
import { contentsAt, type FoundContent } from '../../../../src/vfs/listing/contents-at.ts';
import { NEVER, ReadingWorld } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

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

describe('near the rate limit', () => {
  it('they are asked for after what a person waits for', async () => {
    world.platform.addFile(root, 'a');
    world.platform.addFile(root, 'b');
    const { files } = world.tree.api;
    const [list, get] = [vi.spyOn(files, 'list'), vi.spyOn(files, 'get')];
    const found = contents();
    await found.next();
    // The listed facts are too old by then.
    await world.clock.advance(1_500);
    await found.next();
    expect(list.mock.calls.map(([, , options]) => options?.priority)).toEqual(['data']);
    expect(get.mock.calls.map(([, options]) => options?.priority)).toEqual(['data']);
  });

  it('one hurries that a person comes to wait for', async () => {
    world.platform.addFile(root, 'a');
    const folder = await world.directory(PROJECT);
    await world.list(folder);
    await world.clock.advance(1_500);
    const get = vi.spyOn(world.tree.api.files, 'get');
    const release = world.platform.hold('files.get');
    const found = contents().next();
    await waitUntil(() => get.mock.calls.length === 1);
    const options = get.mock.calls[0]?.[1];
    expect(options?.urgent?.aborted).toBe(false);
    const opened = world.tree.revalidate(await world.at(`${PROJECT}/a`), NEVER);
    expect(options?.urgent?.aborted).toBe(true);
    release();
    await opened;
    expect(await found).toMatchObject({ value: { path: `${PROJECT}/a` } });
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('a folder that is being listed for them is listed for a person at once', async () => {
    world.platform.addFile(root, 'a');
    const folder = await world.directory(PROJECT);
    const list = vi.spyOn(world.tree.api.files, 'list');
    const release = world.platform.hold('files.list');
    const found = contents().next();
    await waitUntil(() => list.mock.calls.length === 1);
    const options = list.mock.calls[0]?.[2];
    expect(options?.urgent?.aborted).toBe(false);
    const listing = world.list(folder);
    expect(options?.urgent?.aborted).toBe(true);
    release();
    expect(await listing).toEqual(['a']);
    expect(await found).toMatchObject({ value: { path: `${PROJECT}/a` } });
  });
});

it('what is not there is told', async () => {
  expect(await pathsOf(contents(`${PROJECT}/none`))).toEqual([]);
  expect(failed).toEqual([`${PROJECT}/none`]);
});
