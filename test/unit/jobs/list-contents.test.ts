import { beforeEach, describe, expect, it } from 'vitest';

import type { FolderRecord } from '../../../src/api/model.ts';
import { listContents } from '../../../src/jobs/list-contents.ts';
import { UnsettledError } from '../../../src/lib/pages-in-order.ts';
import { FakeApi } from '../../support/fake-api.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ALL } from './samples.ts';

let platform: FakeApi;
let folder: FolderRecord;
beforeEach(() => {
  platform = new FakeApi();
  folder = platform.addFolder('root', 'data');
});

async function paths(): Promise<string[]> {
  const { signal } = new AbortController();
  const source = { kind: 'folder' as const, folder, permissions: ALL };
  const { files } = await listContents(platform.api, source, { signal });
  return files.map(({ path }) => path).sort();
}

/** Lets another client do something when the first page is here and the others are asked for. */
async function amid(change: () => void): Promise<string[]> {
  const release = platform.hold('files.list', 1);
  const listing = paths();
  await waitUntil(() => platform.calls.length === 3);
  change();
  release();
  return listing;
}

it('files in folders kept as svc~__… go by the names that these stand for, unless the platform has them too', async () => {
  const kept = platform.addFolder(folder.id, 'svc~__a');
  platform.addFile(kept.id, 'x');
  const beside = platform.addFolder(folder.id, 'svc~__logs');
  platform.addFile(beside.id, 'x');
  platform.addFile(platform.addFolder(folder.id, '__logs').id, 'x');
  expect(await paths()).toEqual(['__a/x', '__logs/x', 'svc~__logs/x']);
});

describe('the files of a folder that goes to a volume', () => {
  beforeEach(() => {
    for (let index = 100; index < 350; index++) platform.addFile(folder.id, `f${index}`);
  });
  const all = Array.from({ length: 250 }, (_, index) => `f${index + 100}`);
  const idOf = (name: string): string =>
    [...platform.files.values()].find((entry) => entry.name === name)?.id ?? '';

  it('are listed by as many requests as they take', async () => {
    expect(await paths()).toEqual(all);
    expect(platform.taken()).toHaveLength(3);
  });

  it('lack none that stays when another client takes one away meanwhile', async () => {
    expect(await amid(() => platform.files.delete(idOf('f100')))).toEqual(all.slice(1));
  });

  it('lack none, and hold none twice, when another client renames one meanwhile', async () => {
    const rename = (): void => {
      const entry = platform.files.get(idOf('f100'));
      if (entry) platform.files.set(entry.id, { ...entry, name: 'zz' });
    };
    expect(await amid(rename)).toEqual([...all.slice(1), 'zz']);
  });

  it('lack none that stays when one came for one that went', async () => {
    const exchange = (): void => {
      platform.files.delete(idOf('f100'));
      platform.addFile(folder.id, 'zz');
    };
    const listed = await amid(exchange);
    expect(listed).toEqual(expect.arrayContaining(all.slice(1)));
  });

  it('are told not to be known when another client changes the folder all the while', async () => {
    const { list } = platform;
    let count = 0;
    platform.list = (...asked) => {
      platform.addFile(folder.id, `new${count++}`);
      return list(...asked);
    };
    const listing = paths();
    await expect(listing).rejects.toThrow(UnsettledError);
    await expect(listing).rejects.toThrow('data changes faster');
  });
});
