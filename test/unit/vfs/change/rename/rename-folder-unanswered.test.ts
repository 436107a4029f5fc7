/** A folder that is moved by a job whose end nobody tells of. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Api, AsyncFilesApi, FilesApi } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import { folderIdOf, type ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const outage = new TransportError('no answer', { call: 'GET /async/files/move/{id}' });

let world: ChangingWorld;
let outer: ProjectFolderNode;
let inner: ProjectFolderNode;
/** Nobody is told of jobs. */
let away: boolean;
/** The platform has not begun with the job when it is asked where the folder is. */
let isEarly: boolean;
/** Nothing more is answered once a job was begun. */
let isLost: boolean;

function troubled(api: Api): Api {
  const begin: AsyncFilesApi['start'] = async (kind, ...given) => {
    const job = await api.asyncFiles.start(kind, ...given);
    if (!isLost) return job;
    away = true;
    await waitUntil(async () => (await api.asyncFiles.get(kind, job.id)).state === 'FINISHED');
    throw outage;
  };
  const get: AsyncFilesApi['get'] = async (kind, id, options) => {
    if (!away) return api.asyncFiles.get(kind, id, options);
    await waitUntil(async () => (await api.asyncFiles.get(kind, id)).state === 'FINISHED');
    throw outage;
  };
  const getFile: FilesApi['get'] = async (...given) => {
    if (away && isLost) throw outage;
    if (!isEarly || !outer.record) return api.files.get(...given);
    isEarly = false;
    return outer.record;
  };
  return withMethods(api, {
    asyncFiles: withMethods(api.asyncFiles, { start: begin, get }),
    files: withMethods(api.files, { get: getFile }),
  });
}

beforeEach(async () => {
  away = isLost = isEarly = false;
  world = await ChangingWorld.start({ api: troubled });
  outer = await folder('outer', world.folder);
  inner = await folder('inner', outer);
  await world.put('f', 'text', inner);
});
afterEach(() => world.end());

async function folder(name: string, parent: ProjectFolderNode): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

async function writtenIn(parent: ProjectFolderNode): Promise<FileHandle> {
  const { handle } = await world.create('half', { parent });
  await world.write(handle, 'half');
  return handle;
}

it('is found where it is, with what is written in it, when it can be looked for', async () => {
  const handle = await writtenIn(inner);
  const before = folderIdOf(outer);
  away = true;
  await world.rename('outer', 'other');
  expect(await world.child('outer')).toBeUndefined();
  expect(await world.child('other')).toBe(outer);
  expect(folderIdOf(outer)).not.toBe(before);
  await world.close(handle);
  expect(await world.onPlatform(inner)).toEqual({ f: 'text', half: 'half' });
});

it('is followed to where it is when its job ends after its rename has failed', async () => {
  const handle = await writtenIn(inner);
  const told: string[] = [];
  world.tree.kernel.attach({
    invalidateEntry: (_parent, name) => told.push(name),
    lookedUp: () => undefined,
    invalidateNode: () => undefined,
  });
  away = isEarly = true;
  expect(await world.rename('outer', 'other').catch(errnoOf)).toBe('EIO');
  away = false;
  await waitUntil(() => told.includes('other'));
  expect(told).toContain('outer');
  expect(await world.child('outer')).toBeUndefined();
  expect(await world.child('other')).toBe(outer);
  await world.close(handle);
  expect(await world.onPlatform(inner)).toEqual({ f: 'text', half: 'half' });
});

it('is followed no longer when the mount ends', async () => {
  const told: string[] = [];
  world.tree.kernel.attach({
    invalidateEntry: (_parent, name) => told.push(name),
    lookedUp: () => undefined,
    invalidateNode: () => undefined,
  });
  away = isEarly = true;
  expect(await world.rename('outer', 'other').catch(errnoOf)).toBe('EIO');
  const { jobs } = world.tree;
  const wait = jobs.wait.bind(jobs);
  let waits = 0;
  // A wait without a pause would let nothing else happen, this test's end included.
  vi.spyOn(jobs, 'wait').mockImplementation((...given) => {
    waits += 1;
    return waits > 50 ? new Promise(() => {}) : wait(...given);
  });
  jobs.close();
  await waitUntil(() => told.includes('other'), { timeoutMs: 5000 });
  expect(waits).toBeLessThan(50);
});

it('is asked for under both names when nothing could be asked', async () => {
  isLost = true;
  expect(await world.rename('outer', 'other').catch(errnoOf)).toBe('EIO');
  away = isLost = false;
  expect(await world.child('outer')).toBeUndefined();
  const other = (await world.child('other')) as ProjectFolderNode;
  const now = (await world.child('inner', other)) as ProjectFolderNode;
  expect(await world.cat('f', now)).toBe('text');
  await world.put('new', 'new', now);
  expect(await world.onPlatform(now)).toEqual({ f: 'text', new: 'new' });
});
