/** Files whose upload was carried out, and not answered: they are on the platform, and nobody here was told. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import type { Capability } from '../../../../../src/api/model.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import {
  ChangingWorld,
  O_EXCL,
  O_RDONLY,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const LONGEST_PAUSE_MS = 60_000;
const lost = new TransportError('no answer', { call: 'POST /upload/inline' });
const refused = new TransportError('refused', { call: 'POST /upload/inline', mayHaveArrived: false });

let world: ChangingWorld;
let clock: FakeClock;
/** The failure of the next upload, in vain or not: the service cannot be asked after that. */
let failure: { readonly error: Error; readonly isDone: boolean } | undefined;
let away: boolean;
afterEach(() => world.end());

async function start(options: WorldOptions = {}): Promise<void> {
  clock = new FakeClock();
  failure = undefined;
  away = false;
  world = await ChangingWorld.start({ clock, api: troubled, ...options });
}

function troubled(api: Api): Api {
  const { uploads, files } = api;
  const failing = async <T>(upload: () => Promise<T>): Promise<T> => {
    if (!failure) return upload();
    const { error, isDone } = failure;
    failure = undefined;
    away = true;
    if (isDone) await upload();
    throw error;
  };
  const inline: typeof uploads.inline = (...args) => failing(() => uploads.inline(...args));
  const complete: typeof uploads.complete = (...args) => failing(() => uploads.complete(...args));
  const reportedParts: typeof uploads.reportedParts = (...args) =>
    away ? Promise.reject(lost) : uploads.reportedParts(...args);
  const find: typeof files.find = (...args) => (away ? Promise.reject(lost) : files.find(...args));
  return withMethods(api, {
    uploads: withMethods(uploads, { inline, complete, reportedParts }),
    files: withMethods(files, { find }),
  });
}

const unlink = async (name: string): Promise<void> =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by());

/** A file that is still open, though a close of it has failed, as it had no answer. */
async function open(name: string, text: string): Promise<FileHandle> {
  const { handle } = await world.create(name);
  await world.write(handle, text);
  failure = { error: lost, isDone: true };
  await expect(world.side.openFiles.flush(handle, world.by())).rejects.toBe(lost);
  return handle;
}

/** With `--write-back` it is closed, and its upload tried again later. */
async function closed(name: string, text: string, flags = O_WRONLY): Promise<void> {
  failure = { error: lost, isDone: true };
  const { handle } = await world.create(name, { flags });
  await world.write(handle, text);
  await world.close(handle);
  await hasFailed(name);
}

async function hasFailed(name: string): Promise<void> {
  await waitUntil(() => world.tree.errors.lastAt(`/one/${name}`) !== undefined);
}

async function isFlushed(): Promise<void> {
  await clock.advance(LONGEST_PAUSE_MS);
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
}

describe.each<{ how: string; capabilities: Capability[] }>([
  { how: 'in one call', capabilities: ['upload_inline', 'rename_overwrite', 'job_wait'] },
  { how: 'in parts', capabilities: ['job_wait'] },
])('whose upload $how was carried out and not answered', ({ capabilities }) => {
  const writeBack = { capabilities, options: { writeBack: true } };

  it('is removed on the platform as well, though its upload had no answer', async () => {
    await start(writeBack);
    await closed('f', 'text');
    away = false;
    await unlink('f');
    expect(await world.onPlatform()).toEqual({});
    await isFlushed();
    expect(await world.onPlatform()).toEqual({});
  });

  it('is not removed while nobody can tell whether it is on the platform: EIO', async () => {
    await start(writeBack);
    await closed('f', 'text');
    await expect(unlink('f')).rejects.toSatisfy((error) => errnoOf(error) === 'EIO');
    expect(await world.cat('f')).toBe('text');
    away = false;
    await isFlushed();
    expect(await world.onPlatform()).toEqual({ f: 'text' });
  });

  it('is removed while it is open, and read on', async () => {
    await start({ capabilities });
    const handle = await open('f', 'text');
    const reader = await world.open((await world.child('f'))!, O_RDONLY);
    away = false;
    await unlink('f');
    expect(await world.onPlatform()).not.toHaveProperty('f');
    expect(await world.read(reader)).toBe('text');
    await world.close(handle);
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({});
  });

  it('takes its new name on the platform as well, though its upload had no answer', async () => {
    await start({ capabilities });
    const handle = await open('f', 'text');
    away = false;
    await world.rename('f', 'g');
    expect(await world.onPlatform()).toEqual({ g: 'text' });
    await world.write(handle, ' and more', 4);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ g: 'text and more' });
  });

  it('is replaced on the platform as well, though its upload had no answer', async () => {
    await start({ capabilities });
    await world.put('other', 'other');
    const handle = await open('f', 'text');
    away = false;
    await world.rename('other', 'f');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ f: 'other' });
    expect(await world.cat('f')).toBe('other');
  });

  it('is replaced by a file of another project', async () => {
    await start({ capabilities });
    await world.put('other', 'other', world.otherProject);
    const handle = await open('f', 'text');
    away = false;
    await world.rename('other', 'f', { parent: world.otherProject, toParent: world.folder });
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ f: 'other' });
  });

  it('is published, though its name must not have existed', async () => {
    await start(writeBack);
    await closed('f', 'text', O_WRONLY | O_EXCL);
    away = false;
    await isFlushed();
    expect(await world.onPlatform()).toEqual({ f: 'text' });
  });

  it('has not lost to itself with --conflict=fail', async () => {
    await start({ capabilities, options: { writeBack: true, conflict: 'fail' } });
    await world.put('f', 'v1');
    await isFlushed();
    failure = { error: lost, isDone: true };
    await world.put('f', 'v2');
    await hasFailed('f');
    away = false;
    await isFlushed();
    expect(await world.onPlatform()).toEqual({ f: 'v2' });
    expect(world.tree.errors.lastAt('/one/f')).toBeUndefined();
  });

  it('has what was set on it meanwhile', async () => {
    await start({ capabilities });
    const handle = await open('f', 'text');
    const node = (await world.child('f')) as Awaited<ReturnType<ChangingWorld['put']>>;
    await world.write(handle, 'next');
    await new FileMetadata(world.tree).merge(node, { sample: 's1' }, world.by().signal);
    away = false;
    await world.rename('f', 'g');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ g: 'next' });
    expect(await world.tree.api.files.get(node.record!.id)).toMatchObject({ metadata: { sample: 's1' } });
  });
});

it('a file whose upload never got to the service is removed though nobody can be asked', async () => {
  await start({ options: { writeBack: true } });
  failure = { error: refused, isDone: false };
  await world.put('f', 'text');
  await hasFailed('f');
  await unlink('f');
  away = false;
  await isFlushed();
  expect(await world.onPlatform()).toEqual({});
});
