/** On a volume, which deletes and renames nothing, files of names that tools use for a moment stay on this machine. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ApiError } from '../../../../src/api/errors.ts';
import { errnoOf } from '../../../../src/vfs/errors/errno-of.ts';
import type { VolumeDirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_WRONLY, withMethods } from '../../../support/changing-world.ts';

const TEMPORARY = '.reads.2FDMwM';
const broken = new ApiError({ status: 500, code: 0, message: 'out of order' }, { call: 'any' });

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
let exportsFail: boolean;
let whileExporting: () => Promise<void>;

function faulty(api: Api): Api {
  const { transfers } = api;
  const startExports: typeof transfers.startExports = async (...args) => {
    if (exportsFail) throw broken;
    await whileExporting();
    return transfers.startExports(...args);
  };
  return withMethods(api, { transfers: withMethods(transfers, { startExports }) });
}

beforeEach(async () => {
  exportsFail = false;
  whileExporting = async () => {};
  const options = { temporaryNames: ['.*.??????', '*~'] };
  world = await ChangingWorld.start({ staging: true, spoolSizeBytes: 100_000, api: faulty, options });
  volume = await world.volume('bucket', { there: 'old', 'other~': 'kept' });
});
afterEach(() => world.end());

const staged = () => world.onPlatform(world.otherProject);
const attributes = async (name: string) =>
  world.tree.attributesOf((await world.child(name, volume))!).attributes;

/** Locations of what a user would call objects: the bucket has notes of the service's own. */
async function objects(): Promise<Record<string, string>> {
  const all = Object.entries(await world.onVolume(volume));
  return Object.fromEntries(all.filter(([location]) => !location.startsWith('.svcfs/')));
}

const BEFORE = { there: 'old', 'other~': 'kept' };

describe('a file under such a name', () => {
  it('is closed, listed and read, and nobody else sees it', async () => {
    await world.put(TEMPORARY, 'text', volume);
    expect(await objects()).toEqual(BEFORE);
    expect(await staged()).toEqual({});
    expect(await world.cat(TEMPORARY, volume)).toBe('text');
    world.tree.expire(volume);
    const listed = await world.tree.childrenOf(volume, world.by().signal);
    expect(listed.map(({ name }) => name)).toContain(TEMPORARY);
  });

  it('is written again and removed', async () => {
    await world.put(TEMPORARY, 'text', volume);
    const handle = await world.open((await world.child(TEMPORARY, volume))!, O_WRONLY);
    await world.write(handle, 'T', 0);
    await world.close(handle);
    expect(await world.cat(TEMPORARY, volume)).toBe('Text');
    await world.side.mutations.unlink({ parent: volume, name: TEMPORARY }, world.by());
    expect(await world.child(TEMPORARY, volume)).toBeUndefined();
    await world.side.idle(world.by().signal);
    expect(await objects()).toEqual(BEFORE);
  });

  it('has the mode and the time that it is given', async () => {
    await world.put(TEMPORARY, 'text', volume);
    const node = (await world.child(TEMPORARY, volume))!;
    const changes = { mode: 0o600, mtimeNs: 10n ** 18n };
    await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
    expect(await attributes(TEMPORARY)).toMatchObject({ mode: 0o100600, mtimeNs: 10n ** 18n });
    await world.rename(TEMPORARY, 'reads', { parent: volume });
    expect(await attributes('reads')).toMatchObject({ mode: 0o100644 });
    expect((await attributes('reads')).mtimeNs).toBeGreaterThan(10n ** 18n);
  });

  it.each([
    ['closed', async (text: string) => void (await world.put(TEMPORARY, text, volume))],
    [
      'left by a program that was killed',
      async (text: string) => {
        const { handle } = await world.create(TEMPORARY, { parent: volume });
        await world.write(handle, text);
        world.processes.ends.set(9, 'kill');
        await world.close(handle, world.by(9));
      },
    ],
  ])('holds up nobody who writes at the spool limit, %s', async (_, leave) => {
    await leave('t'.repeat(90_000));
    await world.put('other', 'o'.repeat(90_000));
    expect((await world.onPlatform())['other']).toHaveLength(90_000);
  });

  it('is an object like any other when the volume has it', async () => {
    await world.put('other~', 'new', volume);
    expect(await objects()).toEqual({ ...BEFORE, 'other~': 'new' });
  });

  it('takes the bytes of what it is a copy of', async () => {
    const node = await world.put('a', 'text');
    await world.copy(node, 'a~', volume);
    await world.side.mutations.unlink({ parent: world.folder, name: 'a' }, world.by());
    expect(await world.cat('a~', volume)).toBe('text');
    await world.rename('a~', 'a', { parent: volume });
    expect(await objects()).toEqual({ ...BEFORE, a: 'text' });
  });
});

describe('its rename', () => {
  beforeEach(() => world.put(TEMPORARY, 'text', volume));

  it('makes it an object, and leaves nothing behind', async () => {
    const reader = await world.open((await world.child(TEMPORARY, volume))!, O_RDONLY);
    await world.rename(TEMPORARY, 'reads', { parent: volume });
    expect(await objects()).toEqual({ ...BEFORE, reads: 'text' });
    expect(await staged()).toEqual({});
    expect(await world.child(TEMPORARY, volume)).toBeUndefined();
    expect(await world.cat('reads', volume)).toBe('text');
    expect(await world.read(reader)).toBe('text');
    await world.close(reader);
  });

  it('replaces an object as a write there does', async () => {
    await world.rename(TEMPORARY, 'there', { parent: volume });
    expect(await objects()).toEqual({ ...BEFORE, there: 'text' });
    expect(await world.cat('there', volume)).toBe('text');
  });

  it('holds up nobody who reads what it replaces', async () => {
    whileExporting = async () => expect(await world.cat('there', volume)).toBe('old');
    await world.rename(TEMPORARY, 'there', { parent: volume });
    expect(await world.cat('there', volume)).toBe('text');
  });

  it('to another such name keeps it here', async () => {
    await world.put('reads~', 'older', volume);
    await world.rename(TEMPORARY, 'reads~', { parent: volume });
    expect(await objects()).toEqual(BEFORE);
    expect(await world.cat('reads~', volume)).toBe('text');
    expect(await world.child(TEMPORARY, volume)).toBeUndefined();
  });

  it('that the platform refuses changes nothing, and can be made again', async () => {
    exportsFail = true;
    await expect(world.rename(TEMPORARY, 'there', { parent: volume })).rejects.toMatchObject({ status: 500 });
    expect(await objects()).toEqual(BEFORE);
    expect(await world.cat('there', volume)).toBe('old');
    expect(await world.cat(TEMPORARY, volume)).toBe('text');
    exportsFail = false;
    await world.rename(TEMPORARY, 'there', { parent: volume });
    expect(await objects()).toEqual({ ...BEFORE, there: 'text' });
    expect(await staged()).toEqual({});
  });

  it('that is refused leaves nothing in the staging folder once the file is removed', async () => {
    exportsFail = true;
    await expect(world.rename(TEMPORARY, 'there', { parent: volume })).rejects.toMatchObject({ status: 500 });
    await world.side.mutations.unlink({ parent: volume, name: TEMPORARY }, world.by());
    expect(await staged()).toEqual({});
  });

  it('that is to replace nothing keeps an object that came since the name was looked up', async () => {
    await world.child('reads', volume);
    await world.putObject(volume, 'reads', 'theirs');
    const renaming = world.rename(TEMPORARY, 'reads', { parent: volume, noReplace: true });
    await expect(renaming).rejects.toMatchObject({ failure: { code: 9107 } });
    expect(await objects()).toEqual({ ...BEFORE, reads: 'theirs' });
    expect(await world.cat(TEMPORARY, volume)).toBe('text');
  });

  it('into a project is left to mv, which copies', async () => {
    await expect(
      world.rename(TEMPORARY, 'reads', { parent: volume, toParent: world.folder }),
    ).rejects.toMatchObject({ errno: 'EXDEV' });
  });
});

it('while it is being written completes it under its new name', async () => {
  const { handle } = await world.create(TEMPORARY, { parent: volume });
  await world.write(handle, 'te');
  await world.rename(TEMPORARY, 'reads', { parent: volume });
  await world.write(handle, 'xt', 2);
  await world.close(handle);
  expect(await objects()).toEqual({ ...BEFORE, reads: 'text' });
});

it('while it is being written replaces no object that came before it is closed, for mv -n', async () => {
  const { handle } = await world.create(TEMPORARY, { parent: volume });
  await world.write(handle, 'text');
  await world.rename(TEMPORARY, 'reads', { parent: volume, noReplace: true });
  await world.putObject(volume, 'reads', 'theirs');
  await expect(world.close(handle)).rejects.toSatisfy((error) => errnoOf(error) === 'EEXIST');
  expect(await objects()).toEqual({ ...BEFORE, reads: 'theirs' });
});

it('of an object to such a name is refused as any other: EPERM', async () => {
  await expect(world.rename('there', 'there~', { parent: volume })).rejects.toMatchObject({ errno: 'EPERM' });
});
