import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ApiError } from '../../../../src/api/errors.ts';
import { ContentError } from '../../../../src/content/ports.ts';
import { OBJECT_SIZE_MAX } from '../../../../src/contract/limits.ts';
import { folderIdOf, type ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { Gate } from '../../../support/gate.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ChangingWorld;

async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}

afterEach(() => world.end());

/** Uploads do what `gate` says first. */
function uploading(gate: () => Promise<void>): (api: Api) => Api {
  return (api) => {
    const { uploads } = api;
    const initialise: typeof uploads.initialise = async (...args) => {
      await gate();
      return uploads.initialise(...args);
    };
    const inline: typeof uploads.inline = async (...args) => {
      await gate();
      return uploads.inline(...args);
    };
    return withMethods(api, { uploads: withMethods(uploads, { initialise, inline }) });
  };
}

const refusal = new ApiError({ status: 403, code: 8001, message: 'no' }, { call: 'POST /upload' });

it('no new file is made of one that nothing could be written to', async () => {
  await start();
  const node = await world.put('f', 'v1');
  await world.side.flush('/', world.by().signal);
  const { id } = node.record ?? {};
  const handle = await world.open(node, O_WRONLY);
  const { writer } = world.tree;
  const draftOf = writer.draft.bind(writer);
  writer.draft = async (options) => {
    const draft = await draftOf(options);
    draft.write = () => Promise.reject(new ContentError('no-space', 'full'));
    return draft;
  };
  await expect(world.write(handle, 'x')).rejects.toMatchObject({ kind: 'no-space' });
  await world.close(handle);
  expect(node.record?.id).toBe(id);
  expect(await world.onPlatform()).toEqual({ f: 'v1' });
});

describe('a file made by mknod', () => {
  it('is published after two seconds', async () => {
    const clock = new FakeClock();
    await start({ clock });
    await world.side.mutations.mknod({ parent: world.folder, name: 'pipe' }, 0o100644, world.by());
    await clock.advance(1900);
    expect(await world.onPlatform()).toEqual({});
    await clock.advance(200);
    await waitUntil(async () => 'pipe' in (await world.onPlatform()));
  });

  it('is published when it is closed, if someone opens it', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const place = { parent: world.folder, name: 'a' };
    const node = await world.side.mutations.mknod(place, 0o100644, world.by());
    const handle = await world.open(node, O_WRONLY);
    await clock.advance(5000);
    expect(await world.onPlatform()).toEqual({});
    await world.write(handle, 'text');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });
});

describe('a close that is interrupted', () => {
  it('answers at once, and the publication goes on', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await start({ api: uploading(() => gate) });
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    const interrupt = new AbortController();
    const flushing = world.side.openFiles.flush(handle, world.by(1, interrupt.signal));
    interrupt.abort();
    await expect(flushing).rejects.toMatchObject({ name: 'AbortError' });
    open();
    await world.side.openFiles.release(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });
});

describe('a file that is emptied while what was closed is on its way', () => {
  /** The close ends some time after the gate is open. */
  async function closing() {
    const gate = new Gate();
    await start({ api: uploading(() => gate.opened), capabilities: [] });
    const { node, handle } = await world.create('a');
    await world.write(handle, 'closed');
    const closed = world.close(handle);
    await waitUntil(() => world.writer.uploads().length > 0);
    return { gate, node, closed };
  }

  it('is there as it was closed, and then as it was written anew', async () => {
    const { gate, node, closed } = await closing();
    const emptied = world.open(node, O_WRONLY | O_TRUNC, world.by(2));
    const reading = await world.open(node, O_RDONLY);
    expect(await world.read(reading)).toBe('closed');
    await world.side.openFiles.fsync(reading, false, world.by());
    gate.open();
    await closed;
    expect(await world.onPlatform()).toEqual({ a: 'closed' });
    const again = await emptied;
    expect(await world.read(reading)).toBe('');
    await world.write(again, 'new');
    expect(await world.onPlatform()).toEqual({ a: 'closed' });
    await world.close(again, world.by(2));
    expect(await world.onPlatform()).toEqual({ a: 'new' });
    await world.close(reading);
  });

  it('is as it was closed when who empties it gives up waiting', async () => {
    const { gate, node, closed } = await closing();
    const interrupt = new AbortController();
    const emptied = world.open(node, O_WRONLY | O_TRUNC, world.by(2, interrupt.signal));
    const refused = expect(emptied).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise((resolve) => setImmediate(resolve));
    interrupt.abort();
    gate.open();
    await Promise.all([refused, closed]);
    expect(await world.onPlatform()).toEqual({ a: 'closed' });
    expect(await world.cat('a')).toBe('closed');
  });
});

it('is told to everyone who closes the file while it fails', async () => {
  let refuse = (): void => undefined;
  const refused = new Promise<void>((_, reject) => {
    refuse = () => reject(refusal);
  });
  refused.catch(() => undefined);
  await start({ api: uploading(() => refused) });
  const { node, handle } = await world.create('a');
  const other = await world.open(node, O_WRONLY);
  await world.write(handle, 'one');
  await world.write(other, 'two', 3);
  const first = Promise.allSettled([world.side.openFiles.flush(handle, world.by())]);
  await waitUntil(() => world.writer.uploads().length > 0);
  const second = Promise.allSettled([world.side.openFiles.flush(other, world.by())]);
  refuse();
  expect([...(await first), ...(await second)].map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('of an empty file that fails hides nothing from who wrote to the file meanwhile, and closes it', async () => {
  let refuse: (() => void) | undefined;
  const refusing = (): Promise<void> =>
    new Promise((_, reject) => {
      refuse = () => reject(refusal);
    });
  let gate = refusing;
  await start({ api: uploading(() => gate()) });
  const { node, handle: touched } = await world.create('a');
  await world.side.openFiles.flush(touched, world.by());
  const released = world.side.openFiles.release(touched);
  await waitUntil(() => refuse !== undefined);
  const handle = await world.open(node, O_WRONLY, world.by(2));
  await world.write(handle, 'text');
  refuse?.();
  await released;
  gate = async () => undefined;
  await world.side.openFiles.flush(handle, world.by(2));
  expect(await world.onPlatform()).toEqual({ a: 'text' });
  await world.side.openFiles.release(handle);
});

describe('a publication that the platform refuses', () => {
  it('is told to the closer, and leaves neither a file nor a name', async () => {
    let tries = 0;
    const failing = (): Promise<never> => {
      tries += 1;
      return Promise.reject(refusal);
    };
    await start({ api: uploading(failing) });
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    await expect(world.side.openFiles.flush(handle, world.by())).rejects.toBe(refusal);
    await world.side.openFiles.release(handle);
    // A program that was told of the failure must not find it done later.
    expect(tries).toBe(1);
    expect(await world.child('a')).toBeUndefined();
    expect(world.writer.uploads()).toEqual([]);
  });

  it('keeps in a file here what fsync had acknowledged', async () => {
    await start({ api: uploading(() => Promise.reject(refusal)) });
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    await world.side.openFiles.fsync(handle, false, world.by());
    await expect(world.close(handle)).rejects.toBe(refusal);
    const [failure] = world.tree.errors.list();
    const [, path = ''] = /kept at (\S+)/.exec(failure?.text ?? '') ?? [];
    expect(await readFile(path, 'utf8')).toBe('text');
    expect(await world.onPlatform()).toEqual({});
  });

  it('leaves the old content of a file that was overwritten', async () => {
    let refuse = false;
    await start({ api: uploading(async () => (refuse ? Promise.reject(refusal) : undefined)) });
    await world.put('a', 'old');
    refuse = true;
    await expect(world.put('a', 'new')).rejects.toBe(refusal);
    expect(await world.cat('a')).toBe('old');
  });

  it('keeps the bytes, and records why, when no close could tell', async () => {
    let refuse = true;
    await start({ api: uploading(async () => (refuse ? Promise.reject(refusal) : undefined)) });
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    await world.side.openFiles.release(handle);
    expect(world.tree.errors.lastAt('/one/a')).toMatchObject({ op: 'release', errno: 'EACCES' });
    expect(await world.cat('a')).toBe('text');
    refuse = false;
    await world.side.idle(world.by().signal);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });
});

it.each([
  'the other file is not known here',
  'the other file is known here',
  'another client replaced that once more',
])('what --conflict=fail kept does not replace the other file when it is tried again: %s', async (when) => {
  const clock = new FakeClock();
  await start({ clock, options: { conflict: 'fail' } });
  const node = await world.put('a', 'old');
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'ours');
  await world.user.call('DELETE', `/files/${node.record!.id}`);
  const root = folderIdOf(world.folder);
  await world.user.upload(root, 'a', 'theirs');
  await clock.advance(2000);
  await expect(world.close(handle)).rejects.toMatchObject({ errno: 'ESTALE' });
  if (when !== 'the other file is not known here') expect(await world.cat('a')).toBe('theirs');
  if (when === 'another client replaced that once more') {
    const { items } = (await world.user.get(`/files?parent=${root}`)).body;
    await world.user.call('DELETE', `/files/${items[0].id}`);
    await world.user.upload(root, 'a', 'theirs');
  }
  const [kept] = await world.writer.keptAside();
  const failures = await world.side.retryKept(kept!.id, world.by().signal);
  expect(await world.onPlatform()).toEqual({ a: 'theirs' });
  const message = expect.stringMatching(/has taken the name a since, .*: save this one, or give that one/);
  expect(failures).toEqual([expect.objectContaining({ message })]);
  expect(await world.writer.keptAside()).toMatchObject([{ id: kept!.id }]);
});

describe('holes and allocation', () => {
  it('finds data everywhere and the only hole at the end', async () => {
    await start();
    const node = await world.put('a', 'text');
    const handle = await world.open(node, O_RDONLY);
    const seek = (offset: number, whence: 'data' | 'hole'): unknown =>
      world.side.openFiles.lseek({ handle, offset }, whence, world.by());
    expect([seek(1, 'data'), seek(1, 'hole')]).toEqual([1, 4]);
    expect(() => seek(4, 'data')).toThrow(expect.objectContaining({ errno: 'ENXIO' }));
    await world.close(handle);
  });

  it('does not take a size that is not known for the end of the data', async () => {
    await start();
    const node = await world.put('a', 'text');
    const handle = await world.open(node, O_RDONLY);
    node.record = undefined;
    expect(() => world.side.openFiles.lseek({ handle, offset: 0 }, 'data', world.by())).toThrow(
      expect.objectContaining({ errno: 'EIO' }),
    );
    await world.close(handle);
  });

  it('extends a file, and punches no holes', async () => {
    await start();
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    const allocate = async (mode: number, length: number): Promise<void> =>
      world.side.openFiles.fallocate({ handle, offset: 0 }, { mode, length }, world.by());
    await allocate(0, 6);
    await allocate(1, 100);
    await expect(allocate(3, 2)).rejects.toMatchObject({ errno: 'EOPNOTSUPP' });
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text\0\0' });
  });
});

describe('a file larger than the platform takes', () => {
  const tooLarge = OBJECT_SIZE_MAX + 1;

  it('is not written, and what was written before is published', async () => {
    await start();
    const { handle } = await world.create('a');
    await world.write(handle, 'text');
    await expect(world.write(handle, 'x', OBJECT_SIZE_MAX)).rejects.toMatchObject({ errno: 'EFBIG' });
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });

  it.each(['an open file', 'a closed one'])('does not come of %s that is extended', async (which) => {
    await start();
    const node = await world.put('a', 'text');
    const handle = which === 'an open file' ? await world.open(node, O_WRONLY) : undefined;
    const how = { handle, context: world.by() };
    const extending = world.side.openFiles.truncate(node, tooLarge, how);
    await expect(extending).rejects.toMatchObject({ errno: 'EFBIG' });
    if (handle !== undefined) await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text' });
  });

  it('is not allocated, nor put together of another', async () => {
    await start();
    const source = await world.open(await world.put('a', 'text'), O_RDONLY);
    const { handle } = await world.create('b');
    const { openFiles } = world.side;
    const allocating = openFiles.fallocate(
      { handle, offset: 1 },
      { mode: 0, length: OBJECT_SIZE_MAX },
      world.by(),
    );
    await expect(allocating).rejects.toMatchObject({ errno: 'EFBIG' });
    const copying = openFiles.copyFileRange(
      { handle: source, offset: 0 },
      { handle, offset: OBJECT_SIZE_MAX },
      { length: 4, context: world.by() },
    );
    await expect(copying).rejects.toMatchObject({ errno: 'EFBIG' });
    await world.close(source);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ a: 'text', b: '' });
  });
});

it('does not take along a write that began before its end and came after it', async () => {
  await start();
  const { node, handle } = await world.create('a');
  await world.write(handle, 'one');
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const draft = node.draft!;
  const write: typeof draft.write = async (...args) => {
    await held;
    return draft.write(...args);
  };
  node.draft = withMethods(draft, { write });
  const writing = world.write(handle, 'two', 3);
  await world.side.openFiles.flush(handle, world.by());
  expect(await world.onPlatform()).toEqual({ a: 'one' });
  goOn();
  await writing;
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ a: 'onetwo' });
});

it('loses no write to a truncate(2) that began before the file was opened', async () => {
  await start();
  const node = await world.put('a', '0123456789');
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { draft } = world.writer;
  world.writer.draft = async (options) => {
    await held;
    return draft.call(world.writer, options);
  };
  const how = { handle: undefined, context: world.by() };
  const truncating = world.side.openFiles.truncate(node, 5, how);
  await world.close(await world.open(node, O_RDONLY));
  const handle = await world.open(node, O_WRONLY);
  const writing = world.write(handle, 'X');
  goOn();
  await Promise.all([truncating, writing]);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ a: 'X1234' });
});

it('loses no truncate(2) to the release of an empty file', async () => {
  await start();
  const node = await world.side.mutations.mknod({ parent: world.folder, name: 'a' }, 0o100644, world.by());
  const handle = await world.open(node, O_WRONLY);
  const releasing = world.side.openFiles.release(handle);
  await world.side.openFiles.truncate(node as ProjectFileNode, 5, { handle: undefined, context: world.by() });
  await releasing;
  expect(await world.onPlatform()).toEqual({ a: '\0'.repeat(5) });
});
