/** `--write-back`: what a close acknowledged of a file is not lost to a draft that takes its name and gets nowhere. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import { ChangingWorld, O_RDONLY, O_WRONLY, withMethods } from '../../../../support/changing-world.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const WRITE_BACK = { options: { writeBack: true } };
const outage = new TransportError('no answer', { call: 'POST /upload/inline' });

let world: ChangingWorld;
let next: ChangingWorld | undefined;
/** The service takes no uploads. */
let away: boolean;
let refused = 0;

beforeEach(async () => {
  away = false;
  refused = 0;
  world = await ChangingWorld.start({ ...WRITE_BACK, api: troubled });
});
afterEach(async () => {
  await next?.end();
  next = undefined;
  await world.end();
});

function troubled(api: Api): Api {
  const inline: Api['uploads']['inline'] = async (...args) => {
    if (!away) return api.uploads.inline(...args);
    refused += 1;
    throw outage;
  };
  return withMethods(api, { uploads: withMethods(api.uploads, { inline }) });
}

/** Closed, and not on the platform. */
async function putOwed(name: string, text: string): Promise<void> {
  away = true;
  const before = refused;
  await world.put(name, text);
  await waitUntil(() => refused > before);
}

async function written(name: string, text: string): Promise<FileHandle> {
  const { handle } = await world.create(name);
  await world.write(handle, text);
  return handle;
}

async function nextMount(): Promise<ChangingWorld> {
  away = false;
  next = await world.afterKill(WRITE_BACK);
  expect(await next.side.flush('/', next.by().signal)).toEqual([]);
  return next;
}

describe('a file whose close was acknowledged, and over which another is renamed that is still written,', () => {
  it.each([
    ['new', async () => {}],
    [
      'that the platform has an older version of',
      async () => {
        await world.put('f', 'v1');
        expect(await world.side.flush('/', world.by().signal)).toEqual([]);
      },
    ],
  ])('is there with what was closed when the mount is killed: %s', async (_, before) => {
    await before();
    await putOwed('f', 'owed');
    await written('tmp', 'half');
    away = false;
    await world.rename('tmp', 'f');
    expect(await world.cat('f')).toBe('half');
    await nextMount();
    expect(await world.onPlatform()).toEqual({ f: 'owed' });
  });

  it('is there with what was closed while it is open again, to be written or read', async () => {
    await putOwed('f', 'owed');
    const node = await world.child('f');
    const writer = await world.open(node!, O_WRONLY);
    const reader = await world.open(node!, O_RDONLY);
    const handle = await written('tmp', 'half');
    away = false;
    await world.rename('tmp', 'f');
    expect(await world.read(reader)).toBe('owed');
    const killed = await nextMount();
    expect(await killed.cat('f')).toBe('owed');
    await world.close(writer);
    await world.close(reader);
    await world.close(handle);
  });

  describe('when it is open again and appended to,', () => {
    /** Nobody closes it. */
    async function appendMore(text: string): Promise<FileHandle> {
      const handle = await world.open((await world.child('f'))!, O_WRONLY);
      await world.write(handle, text, 'owed'.length);
      return handle;
    }

    it('is there with what was closed and appended when the mount is killed', async () => {
      await putOwed('f', 'owed');
      await appendMore(' and more');
      await written('tmp', 'half');
      away = false;
      await world.rename('tmp', 'f');
      expect(await world.cat('f')).toBe('half');
      await nextMount();
      expect(await world.onPlatform()).toEqual({ f: 'owed and more' });
    });

    it('is replaced when that is closed, whatever is written to it still', async () => {
      await putOwed('f', 'owed');
      const appending = await appendMore(' and more');
      const handle = await written('tmp', 'whole');
      away = false;
      await world.rename('tmp', 'f');
      await world.write(appending, ', and more', 'owed and more'.length);
      await world.close(appending);
      away = true;
      await world.close(handle);
      await nextMount();
      expect(await world.onPlatform()).toEqual({ f: 'whole' });
    });

    it('stays as it is when the service cannot take that first', async () => {
      await putOwed('f', 'owed');
      await appendMore(' and more');
      await written('tmp', 'half');
      await expect(world.rename('tmp', 'f')).rejects.toBe(outage);
      expect(await world.cat('f')).toBe('owed and more');
      await nextMount();
      expect(await world.onPlatform()).toEqual({ f: 'owed and more' });
    });

    it('costs no upload when what was closed was written over since', async () => {
      await putOwed('f', 'owed');
      const handle = await world.open((await world.child('f'))!, O_WRONLY);
      await world.write(handle, 'else');
      await written('tmp', 'half');
      const before = refused;
      await world.rename('tmp', 'f');
      expect(refused).toBe(before);
      await world.close(handle);
    });
  });

  it('is replaced when that is closed', async () => {
    await putOwed('f', 'owed');
    const handle = await written('tmp', 'whole');
    away = false;
    await world.rename('tmp', 'f');
    away = true;
    await world.close(handle);
    await nextMount();
    expect(await world.onPlatform()).toEqual({ f: 'whole' });
  });

  it('stays what the name stands for when the service cannot take it first', async () => {
    await putOwed('f', 'owed');
    const handle = await written('tmp', 'half');
    await expect(world.rename('tmp', 'f')).rejects.toBe(outage);
    expect(await world.cat('f')).toBe('owed');
    await world.close(handle);
    away = false;
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: 'owed', tmp: 'half' });
  });
});
