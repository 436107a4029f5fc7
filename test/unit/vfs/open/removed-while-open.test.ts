/** A file that is owed to the platform is removed, or renamed over, while a reader has it open: it does not come back. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ApiError, TransportError } from '../../../../src/api/errors.ts';
import type { FileHandle } from '../../../../src/vfs/file-system.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const outage = new TransportError('no answer', { call: 'POST /upload/inline' });
const refusal = new ApiError({ status: 403, code: 8001, message: 'no' }, { call: 'POST /upload/inline' });

let world: ChangingWorld;
let next: ChangingWorld | undefined;
/** The failures of uploads, by name; the others get through. */
let failing: Map<string, Error>;
let onFailure: () => void;

afterEach(async () => {
  await next?.end();
  next = undefined;
  await world.end();
});

async function start(options: WorldOptions = {}): Promise<void> {
  failing = new Map();
  onFailure = () => undefined;
  world = await ChangingWorld.start({ options: { writeBack: true }, api: troubled, ...options });
}

function troubled(api: Api): Api {
  const { uploads } = api;
  const inline: typeof uploads.inline = async (...args) => {
    const { name } = args[0];
    const failure = failing.get(name);
    // Of those that follow, the service is away.
    if (failure === refusal) failing.set(name, outage);
    if (failure) {
      onFailure();
      throw failure;
    }
    return uploads.inline(...args);
  };
  return withMethods(api, { uploads: withMethods(uploads, { inline }) });
}

const flush = (of = world) => of.side.flush('/', of.by().signal);

const remove = (name: string) =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by()) as Promise<void>;

/** Closed, and not uploaded for an outage; somebody reads it. */
async function readWhileOwed(name: string, text: string): Promise<FileHandle> {
  failing.set(name, outage);
  const node = await world.put(name, text);
  return world.open(node, O_RDONLY);
}

/** The next mount has brought to the platform what it found, were this one killed now. */
async function afterKill(): Promise<Record<string, string>> {
  next = await world.afterKill();
  expect(await flush(next)).toEqual([]);
  return world.onPlatform();
}

describe('a file closed with --write-back, and removed before it is uploaded while somebody reads it,', () => {
  it('does not come back with the next mount', async () => {
    await start();
    const reader = await readWhileOwed('f', 'text');
    await remove('f');
    expect(await world.read(reader)).toBe('text');
    expect(await afterKill()).toEqual({});
  });

  it('does not bring back the content that the platform had of it', async () => {
    await start();
    await world.put('f', 'v1');
    expect(await flush()).toEqual([]);
    const reader = await readWhileOwed('f', 'v2');
    await remove('f');
    expect(await world.read(reader)).toBe('v2');
    expect(await afterKill()).toEqual({});
  });

  it('does not bring back the file whose name it had taken', async () => {
    await start();
    await world.put('old', 'old');
    expect(await flush()).toEqual([]);
    const { node, handle } = await world.create('new');
    await world.write(handle, 'new');
    await world.rename('new', 'old');
    await world.rename('old', 'f');
    failing.set('f', outage);
    await world.close(handle);
    await world.open(node, O_RDONLY);
    await remove('f');
    expect(await afterKill()).toEqual({});
  });

  it('holds up nobody at --spool-size', async () => {
    await start({ spoolSizeBytes: 1000 });
    const reader = await readWhileOwed('f', 'x'.repeat(900));
    await remove('f');
    await world.put('other', 'y'.repeat(900));
    expect(await flush()).toEqual([]);
    expect(await world.read(reader)).toBe('x'.repeat(900));
  });
});

it('a file that was only emptied, and removed while somebody reads it, does not come back', async () => {
  await start({ options: { writeBack: false } });
  const node = await world.put('f', 'v1');
  await world.open(node, O_RDONLY);
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.side.openFiles.flush(handle, world.by());
  await remove('f');
  expect(await afterKill()).toEqual({});
});

describe('a file closed with --write-back, and renamed over before it is uploaded while somebody reads it,', () => {
  it('is not what the next mount uploads', async () => {
    await start();
    await world.put('tmp', 'new');
    expect(await flush()).toEqual([]);
    await readWhileOwed('f', 'old');
    await world.rename('tmp', 'f');
    failing.clear();
    expect(await afterKill()).toEqual({ f: 'new' });
  });

  describe('by one that was begun before it and is still written', () => {
    async function renamedOver(): Promise<FileHandle> {
      const { handle } = await world.create('tmp');
      await world.write(handle, 'new');
      await readWhileOwed('f', 'old');
      failing.clear();
      await world.rename('tmp', 'f');
      return handle;
    }

    it('is not what the next mount uploads when that was closed', async () => {
      // Time stands still: what failed is not tried again.
      await start({ clock: new FakeClock() });
      const handle = await renamedOver();
      let hasFailed = false;
      failing.set('f', outage);
      onFailure = () => {
        hasFailed = true;
      };
      await world.close(handle);
      await waitUntil(async () => hasFailed && (await world.asides()).length === 0);
      expect(await afterKill()).toEqual({ f: 'new' });
    });

    it('has its name again when that is refused', async () => {
      await start();
      const handle = await renamedOver();
      failing.set('f', refusal);
      await world.close(handle);
      await waitUntil(async () => (await world.cat('f')) === 'old');
      expect(await world.onPlatform()).toEqual({ f: 'old' });
    });
  });
});
