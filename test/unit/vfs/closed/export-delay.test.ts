/** A file on a volume becomes an object when it has been quiet: an object can be neither removed nor renamed. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ContentError } from '../../../../src/content/ports.ts';
import type { FileHandle } from '../../../../src/vfs/file-system.ts';
import type { VolumeDirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_WRONLY, withMethods } from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ChangingWorld;
let clock: FakeClock;
let volume: VolumeDirectoryNode;
/** Called when the platform has told of an object, before anybody here knows. */
let onObject: () => void;

function telling(api: Api): Api {
  const object: typeof api.volumes.object = async (...args) => {
    const record = await api.volumes.object(...args);
    if (record) onObject();
    return record;
  };
  return withMethods(api, { volumes: withMethods(api.volumes, { object }) });
}

async function start(writeBack: boolean): Promise<void> {
  clock = new FakeClock();
  const options = { writeBack, exportDelayMs: 5000, temporaryNames: ['*~'] };
  onObject = () => {};
  world = await ChangingWorld.start({ staging: true, clock, options, api: telling });
  volume = await world.volume('bucket', { there: 'old' });
}
afterEach(() => world.end());

async function objects(): Promise<Record<string, string>> {
  const all = Object.entries(await world.onVolume(volume));
  return Object.fromEntries(all.filter(([location]) => !location.startsWith('.svcfs/')));
}
const BEFORE = { there: 'old' };
const unlink = async (name: string) => world.side.mutations.unlink({ parent: volume, name }, world.by());
/** Time goes on until it is one. */
const isObject = (name: string) =>
  waitUntil(async () => {
    await clock.advance(500);
    return name in (await objects());
  });

describe('with --write-back', () => {
  it('a closed file becomes an object when nobody closed it for the delay', async () => {
    await start(true);
    await world.put('new', 'one', volume);
    await clock.advance(4000);
    const handle = await world.open((await world.child('new', volume))!, O_WRONLY);
    await world.write(handle, 'ONE');
    await world.close(handle);
    await clock.advance(4000);
    expect([await objects(), await world.cat('new', volume)]).toEqual([BEFORE, 'ONE']);
    await isObject('new');
    expect(await objects()).toEqual({ ...BEFORE, new: 'ONE' });
  });

  it('is removed and renamed before that as any file', async () => {
    await start(true);
    await world.put('gone', 'text', volume);
    await unlink('gone');
    await world.put('new', 'text', volume);
    await world.rename('new', 'newer', { parent: volume });
    await world.side.idle(world.by().signal);
    expect(await objects()).toEqual({ ...BEFORE, newer: 'text' });
  });

  it('becomes one although another program has it open to be written and does not write', async () => {
    await start(true);
    const node = await world.put('new', 'text', volume);
    const handle = await world.open(node, O_WRONLY);
    await isObject('new');
    await world.write(handle, 'TEXT');
    await world.close(handle);
    await world.side.idle(world.by().signal);
    expect(await objects()).toEqual({ ...BEFORE, new: 'TEXT' });
  });

  it('keeps what is written at the moment in which its export ends', async () => {
    await start(true);
    const node = await world.put('new', 'text', volume);
    const handle = await world.open(node, O_WRONLY);
    let writing: Promise<void> | undefined;
    onObject = () => {
      writing ??= world.write(handle, 'more', 4);
    };
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    await writing;
    await world.close(handle);
    expect(await world.cat('new', volume)).toBe('textmore');
    await world.side.idle(world.by().signal);
    expect(await objects()).toEqual({ ...BEFORE, new: 'textmore' });
  });

  it.each([
    ['a close', 'commit', (handle: FileHandle) => world.side.openFiles.flush(handle, world.by())],
    ['fsync', 'sync', (handle: FileHandle) => world.side.openFiles.fsync(handle, false, world.by())],
  ] as const)('%s that comes while its export ends does not fail', async (_, method, call) => {
    await start(true);
    const node = await world.put('new', 'text', volume);
    const handle = await world.open(node, O_WRONLY);
    vi.spyOn(node.draft!, method).mockImplementationOnce(async () => {
      await world.side.flush('/', world.by().signal);
      throw new ContentError('failed', 'the draft is closed');
    });
    await call(handle);
    await world.close(handle);
    expect(await objects()).toEqual({ ...BEFORE, new: 'text' });
  });

  it('stays here when it gets a name of a moment before that, as the backup of an editor', async () => {
    await start(true);
    await world.put('text', 'first', volume);
    await world.rename('text', 'text~', { parent: volume });
    await clock.advance(6000);
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    expect([await objects(), await world.cat('text~', volume)]).toEqual([BEFORE, 'first']);
    await world.rename('text~', 'other', { parent: volume });
    expect(await objects()).toEqual({ ...BEFORE, other: 'first' });
  });

  it('flush, the end of the mount and a move to a project do not wait for the delay', async () => {
    await start(true);
    await world.put('flushed', 'text', volume);
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    expect(await objects()).toEqual({ ...BEFORE, flushed: 'text' });
    await world.put('there', 'newer', volume);
    await world.rename('there', 'imported', { parent: volume, toParent: world.folder });
    expect(await world.onPlatform()).toEqual({ imported: 'newer' });
    await world.put('last', 'text', volume);
    expect(await world.side.idle(world.by().signal)).toEqual({ waiting: [], refused: [] });
    expect(await objects()).toEqual({ there: 'newer', flushed: 'text', last: 'text' });
  });
});

describe('without it', () => {
  it('a close makes the object', async () => {
    await start(false);
    await world.put('new', 'text', volume);
    expect(await objects()).toEqual({ ...BEFORE, new: 'text' });
  });

  it('a new, empty file may be removed at once, and is an object two seconds later', async () => {
    await start(false);
    for (const name of ['probe', 'empty'])
      await world.close((await world.create(name, { parent: volume })).handle);
    await unlink('probe');
    expect(await objects()).toEqual(BEFORE);
    await isObject('empty');
    expect(await objects()).toEqual({ ...BEFORE, empty: '' });
  });
});
