/** A file loses its name after it was opened to be written, and before anything was: who has it open writes it as any other. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ApiError } from '../../../../src/api/errors.ts';
import type { FileHandle } from '../../../../src/vfs/file-system.ts';
import type { ProjectFolderNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDWR, withMethods } from '../../../support/changing-world.ts';

let world: ChangingWorld;
let next: ChangingWorld | undefined;

afterEach(async () => {
  await next?.end();
  next = undefined;
  await world.end();
});

async function opened(): Promise<FileHandle> {
  world = await ChangingWorld.start();
  return world.open(await world.put('f', 'old text'), O_RDWR);
}

const remove = (name: string) =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by()) as Promise<void>;

const truncate = (handle: FileHandle, sizeBytes: number) =>
  world.side.openFiles.truncate(world.side.openFiles.nodeOf(handle), sizeBytes, {
    handle,
    context: world.by(),
  });

describe('a file that was removed', () => {
  it('is written and read, and goes with its last handle', async () => {
    const handle = await opened();
    await remove('f');
    await world.write(handle, 'new');
    expect(await world.read(handle)).toBe('new text');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({});
    expect(await world.asides()).toEqual([]);
  });

  it.each([0, 3])('is cut to %i bytes', async (sizeBytes) => {
    const handle = await opened();
    await remove('f');
    await truncate(handle, sizeBytes);
    expect(await world.read(handle)).toBe('old text'.slice(0, sizeBytes));
  });

  it('does not come back with the next mount, though it was synced', async () => {
    const handle = await opened();
    await remove('f');
    await world.write(handle, 'new');
    await world.side.openFiles.fsync(handle, false, world.by());
    next = await world.afterKill();
    expect(await next.side.flush('/', next.by().signal)).toEqual([]);
    expect(await next.onPlatform()).toEqual({});
  });
});

it('a file that another was renamed over is written, and the other has the name', async () => {
  const handle = await opened();
  await world.put('tmp', 'other');
  await world.rename('tmp', 'f');
  await world.write(handle, 'new');
  expect(await world.read(handle)).toBe('new text');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ f: 'other' });
});

it('a file written so has its name again, in its folder, when what took that cannot be published', async () => {
  let isRefused = false;
  const refusal = new ApiError({ status: 403, code: 8001, message: 'no' }, { call: 'POST /upload/inline' });
  world = await ChangingWorld.start({
    api: (api) => {
      const inline: Api['uploads']['inline'] = (...args) =>
        isRefused ? Promise.reject(refusal) : api.uploads.inline(...args);
      return withMethods(api, { uploads: withMethods(api.uploads, { inline }) });
    },
  });
  const place = { parent: world.folder, name: 'folder' };
  const folder = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
  const handle = await world.open(await world.put('f', 'old text', folder), O_RDWR);
  const taking = await world.create('tmp', { parent: folder });
  await world.write(taking.handle, 'other');
  await world.rename('tmp', 'f', { parent: folder });
  await world.write(handle, 'new');
  isRefused = true;
  await expect(world.close(taking.handle)).rejects.toBe(refusal);
  isRefused = false;
  await world.close(handle);
  await world.side.idle(world.by().signal);
  expect(await world.onPlatform(folder)).toEqual({ f: 'new text' });
  expect(await world.onPlatform()).toEqual({ folder: '/' });
});
