/** Finding files by conditions: what the platform searches, and what is listed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFiles } from '../../../src/metadata/query/find-files.ts';
import { parseTerm } from '../../../src/metadata/query/term.ts';
import { Places } from '../../../src/places/places.ts';
import { MetadataWorld } from '../../support/metadata-world.ts';

let world: MetadataWorld;
beforeAll(async () => {
  world = await MetadataWorld.start();
  const { id: study } = await world.alice.folder(world.root, 'study');
  for (const name of ['a', 'b']) {
    const { id } = await world.alice.folder(study, name);
    await world.fill(id, 150, {
      metadata: (index) => ({ sample: `${name}"\\${index % 2}`, lane: String(index) }),
    });
  }
  await world.folder('elsewhere', 10, { metadata: () => ({ sample: 'a"\\0' }) });
});
afterAll(() => world?.stop());

async function found(names: readonly string[], terms: readonly string[], filesMost?: number) {
  const asking = { api: world.api, signal: world.signal };
  const folder = await new Places(asking).folder({ project: world.project, names });
  let files: readonly string[] = [];
  const calls = await world.counting(async () => {
    const places = await findFiles(folder, terms.map(parseTerm), { ...asking, filesMost });
    files = places.map((place) => place.names.join('/'));
  });
  return { files, calls };
}

describe('files that meet conditions', () => {
  it('are searched for by what they equal, a request for each 100, and a look at their folders', async () => {
    const { files, calls } = await found(['study'], ['sample=a"\\0', 'lane>=100']);
    expect(files).toHaveLength(25);
    expect(files[0]).toBe('study/a/f00100');
    expect(calls).toEqual({ 'POST /files/search': 1, 'POST /bulk/files/get': 2 });
  });

  it('are searched for by each alternative where there is nothing else', async () => {
    const { files, calls } = await found(['study'], ['sample=a"\\0|b"\\1']);
    expect(files).toHaveLength(150);
    expect(calls['POST /files/search']).toBe(2);
  });

  it('are listed where nothing is to be equal, up to as many as the caller wants', async () => {
    const { files, calls } = await found(['study'], ['lane<10', 'name~f0*']);
    expect(files).toHaveLength(20);
    expect(calls).toEqual({ 'GET /files/{folder}/list': 5 });
    await expect(found(['study'], ['lane<10'], 200)).rejects.toThrow('more than 200 files');
  });

  it('leave out the trash of the project, unless they begin in it', async () => {
    await world.folder('.svcfs-trash', 2, { metadata: () => ({ sample: 'gone' }) });
    expect((await found([], ['sample=gone'])).files).toEqual([]);
    const { files } = await found([], ['name~f00001']);
    expect(files).toEqual(['elsewhere/f00001', 'study/a/f00001', 'study/b/f00001']);
    expect((await found(['.svcfs-trash'], ['sample=gone'])).files).toHaveLength(2);
  });
});
