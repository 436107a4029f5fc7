/** `--write-back` without a kernel: what was closed stays owed to the platform, whatever fails meanwhile. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ContentError } from '../../../../src/content/ports.ts';
import { Journal } from '../../../../src/content/write/journal/journal.ts';
import { SpoolFile } from '../../../../src/content/write/spool/spool-file.ts';
import type { FileHandle } from '../../../../src/vfs/file-system.ts';
import type { ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { Gate } from '../../../support/gate.ts';
import { HeldUploads, outage, refusal } from '../../../support/held-uploads.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const MIB = 1024 * 1024;

const LONGEST_PAUSE_MS = 60_000;

let world: ChangingWorld;

let clock: FakeClock;

let uploads: HeldUploads;

afterEach(() => world.end());

async function start({
  writeBack = true,
  ...limits
}: {
  readonly writeBack?: boolean;
  readonly spoolSizeBytes?: number;
} = {}): Promise<void> {
  clock = new FakeClock();
  uploads = new HeldUploads();
  const api = (real: Api): Api => uploads.over(real);
  world = await ChangingWorld.start({ clock, options: { writeBack }, api, ...limits });
}

/** The uploads that the next mount would find, were this one killed and the machine with it. */
async function inJournal() {
  const client = join(world.service.dataDir, 'client');
  const copy = join(client, 'killed');
  await cp(join(client, 'up'), copy, { recursive: true });
  const journal = await Journal.open(copy);
  await journal.close();
  return journal.drafts;
}

/** A file has `v1` on the platform and `v2` acknowledged here, whose upload failed and will be tried again. */
async function closedInAnOutage(): Promise<void> {
  await start();
  await world.put('f', 'v1');
  await world.side.flush('/', world.by().signal);
  uploads.held = true;
  await world.put('f', 'v2');
  (await uploads.nth(1)).fail();
  await waitUntil(() => world.tree.errors.lastAt('/one/f') !== undefined);
}

async function isUploadedAfterTheOutage(): Promise<void> {
  uploads.held = false;
  await waitUntil(async () => {
    await clock.advance(LONGEST_PAUSE_MS);
    return (await world.onPlatform())['f'] === 'v2';
  });
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
  expect(await world.onPlatform()).toEqual({ f: 'v2' });
  expect(await world.cat('f')).toBe('v2');
}

describe('what was closed with --write-back in an outage is tried again', () => {
  it.each([
    ['renamed', () => world.rename('f', 'g')],
    [
      'truncated',
      async () =>
        world.side.openFiles.truncate((await world.child('f')) as never, 1, {
          handle: undefined,
          context: world.by(),
        }),
    ],
  ])('although it cannot be %s', async (_, change) => {
    await closedInAnOutage();
    const refused = expect(change()).rejects.toBe(outage);
    const second = await uploads.nth(2);
    // The pause between tries ends while another asks for the same upload.
    await clock.advance(LONGEST_PAUSE_MS);
    second.fail();
    await refused;
    (await uploads.nth(3)).fail();
    await isUploadedAfterTheOutage();
  });

  it('although it was to be moved to another project while its upload was failing', async () => {
    await start();
    await world.put('f', 'v1');
    await world.side.flush('/', world.by().signal);
    uploads.held = true;
    await world.put('f', 'v2');
    const first = await uploads.nth(1);
    const refused = expect(world.rename('f', 'f', { toParent: world.otherProject })).rejects.toBe(outage);
    first.fail();
    (await uploads.nth(2)).fail();
    await refused;
    await isUploadedAfterTheOutage();
  });
});

/** As the kernel does it for a program that ends without having closed its file, and that is told nothing. */
async function endWithoutClosing(handle: FileHandle, end: 'exit' | 'kill'): Promise<void> {
  const context = world.by(9);
  world.processes.ends.set(9, end);
  await world.close(handle, context).catch(() => {});
}

it('what a killed program left is uploaded though another opened it while it was made safe here', async () => {
  await start();
  const { node, handle } = await world.create('f');
  await world.write(handle, 'half');
  const { draft } = node as ProjectFileNode;
  if (draft === undefined) throw new Error('no draft');
  const gate = new Gate();
  const commit = draft.commit.bind(draft);
  draft.commit = async (signal) => {
    await gate.opened;
    await commit(signal);
  };
  await endWithoutClosing(handle, 'kill');
  const idle = await world.open(node, O_WRONLY, world.by(2));
  gate.open();
  await waitUntil(async () => (await world.onPlatform())['f'] === 'half');
  await world.close(idle, world.by(2));
});

describe('svcfs flush waits for a file that nobody waited for', () => {
  async function flushedAfterTheOutage(content: string): Promise<void> {
    const flushed = world.side.flush('/', world.by().signal);
    let done = false;
    void flushed.then(() => {
      done = true;
    });
    const tried = uploads.begun.length;
    await waitUntil(async () => {
      await clock.advance(LONGEST_PAUSE_MS);
      return uploads.begun.length > tried;
    });
    expect(done).toBe(false);
    uploads.held = false;
    for (const { fail } of uploads.begun) fail();
    await waitUntil(async () => {
      await clock.advance(LONGEST_PAUSE_MS);
      return done;
    });
    expect(await flushed).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: content });
    expect(await world.cat('f')).toBe(content);
  }

  async function failedOnce(): Promise<void> {
    (await uploads.nth(1)).fail();
    await waitUntil(() => world.tree.errors.lastAt('/one/f') !== undefined);
  }

  it('made empty in an outage', async () => {
    await start();
    uploads.held = true;
    await world.close((await world.create('f')).handle);
    await failedOnce();
    await flushedAfterTheOutage('');
  });

  it('left in an outage by a program that was killed', async () => {
    await start();
    const { handle } = await world.create('f');
    await world.write(handle, 'half');
    uploads.held = true;
    await endWithoutClosing(handle, 'kill');
    await failedOnce();
    await flushedAfterTheOutage('half');
  });

  it('left by a program that ended without closing it, between two tries of what it had before', async () => {
    await closedInAnOutage();
    const handle = await world.open((await world.child('f'))!, O_WRONLY | O_TRUNC);
    await world.write(handle, 'v3');
    await endWithoutClosing(handle, 'exit');
    await flushedAfterTheOutage('v3');
  });

  it('although the mount was to end, and was in use', async () => {
    await closedInAnOutage();
    const left = world.side.idle(world.by().signal);
    (await uploads.nth(2)).fail();
    expect(await left).toEqual({ waiting: ['/one/f'], refused: [] });
    (await uploads.nth(3)).fail();
    await flushedAfterTheOutage('v2');
  });
});

it('what was closed and is refused for good holds up nobody at --spool-size while a reader has it open', async () => {
  await start({ spoolSizeBytes: 1000 });
  uploads.held = true;
  const { node, handle } = await world.create('refused');
  await world.write(handle, 'x'.repeat(900));
  const reader = await world.open(node, O_RDONLY);
  await world.close(handle);
  (await uploads.nth(1)).refuse();
  await waitUntil(() => world.tree.errors.lastAt('/one/refused') !== undefined);
  uploads.held = false;
  await world.put('other', 'y'.repeat(900));
  expect(await world.side.flush('/one/other', world.by().signal)).toEqual([]);
  expect(await world.read(reader)).toBe('x'.repeat(900));
  await world.close(reader);
});

it('what builds on more than --spool-size is uploaded by its close: all of it could not be kept here', async () => {
  await start({ spoolSizeBytes: 1000 });
  await world.put('f', 'x'.repeat(900));
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
  const handle = await world.open((await world.child('f'))!, O_WRONLY);
  await world.write(handle, 'y'.repeat(200), 900);
  await world.close(handle);
  expect((await world.onPlatform())['f']).toBe('x'.repeat(900) + 'y'.repeat(200));
});

it('what is larger than --spool-size is uploaded by its close: most of it is not here any more', async () => {
  await start({ spoolSizeBytes: 20 * MIB });
  const { handle } = await world.create('f');
  const piece = 'x'.repeat(4 * MIB);
  for (let offset = 0; offset < 48 * MIB; offset += piece.length) await world.write(handle, piece, offset);
  uploads.held = true;
  let answered = false;
  const closed = world.close(handle).finally(() => {
    answered = true;
  });
  const completion = await uploads.nth(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  completion.pass();
  await closed;
  expect((await world.onPlatform())['f']).toHaveLength(48 * MIB);
});

it('what is larger than --spool-size and is refused is told to its close', async () => {
  await start({ spoolSizeBytes: 20 * MIB });
  const { handle } = await world.create('f');
  const piece = 'x'.repeat(4 * MIB);
  for (let offset = 0; offset < 48 * MIB; offset += piece.length) await world.write(handle, piece, offset);
  uploads.held = true;
  const refused = expect(world.close(handle)).rejects.toBe(refusal);
  (await uploads.nth(1)).refuse();
  await refused;
  expect(await world.onPlatform()).toEqual({});
});

it('what builds on less than --spool-size is uploaded, too, when others take the room meanwhile', async () => {
  await start({ spoolSizeBytes: 100 * MIB });
  const names = ['one', 'two'];
  for (const name of names) await world.put(name, 'x'.repeat(90 * MIB));
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
  const handles = await Promise.all(
    names.map(async (name) => world.open((await world.child(name))!, O_WRONLY)),
  );
  for (const handle of handles) await world.write(handle, 'y');
  await Promise.all(handles.map((handle) => world.close(handle)));
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
  const there = await world.onPlatform();
  expect(names.map((name) => there[name]?.slice(0, 2))).toEqual(['yx', 'yx']);
});

it.each([
  ['nobody has it open', false],
  ['somebody reads it still', true],
])(
  'what the disk of the spool refuses is told to its close, and is not uploaded: it may be read back as other bytes: %s',
  async (_, isRead) => {
    await start();
    const { node, handle } = await world.create('f');
    const readers = isRead ? [await world.open(node, O_RDONLY)] : [];
    await world.write(handle, 'x'.repeat(20_000));
    const full = new ContentError('no-space', 'the disk is full');
    const sync = vi.spyOn(SpoolFile.prototype, 'sync').mockRejectedValueOnce(full);
    onTestFinished(() => sync.mockRestore());
    await expect(world.close(handle)).rejects.toBe(full);
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    for (const reader of readers) await world.close(reader);
    expect(await world.onPlatform()).toEqual({});
  },
);

it.each(['kept', 'removed'])(
  'of a time that is set while an upload ends the next mount knows nothing: file %s',
  async (fate) => {
    await start();
    const made = new Gate();
    const end = new Gate();
    const done = vi.spyOn(Journal.prototype, 'doneDurable').mockImplementationOnce(async () => {
      made.open();
      await end.opened;
    });
    onTestFinished(() => done.mockRestore());
    const node = await world.put('f', 'text');
    await made.opened;
    // As touch(1) does.
    const handle = await world.open(node, O_WRONLY);
    const how = { handle, context: world.by() };
    const touched = world.side.mutations.setattr(node, { mtimeNs: 10n ** 18n }, how);
    const closed = world.close(handle);
    end.open();
    await touched;
    await closed;
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    if (fate === 'removed')
      await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
    else expect(node.record?.metadata['svcfs.mtime']).toBe('1000000000.000000000');
    await waitUntil(async () => (await inJournal()).length === 0);
  },
);

it('what cannot be made safe here for too many open files is uploaded by its close', async () => {
  await start();
  const { handle } = await world.create('f');
  await world.write(handle, 'x');
  const tooMany = new ContentError('no-descriptors', 'no more');
  const durable = vi.spyOn(Journal.prototype, 'durable').mockRejectedValueOnce(tooMany);
  onTestFinished(() => durable.mockRestore());
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ f: 'x' });
});

it('what was made empty in an outage is tried again', async () => {
  await start();
  uploads.held = true;
  await world.close((await world.create('f')).handle);
  (await uploads.nth(1)).fail();
  await waitUntil(() => world.tree.errors.lastAt('/one/f') !== undefined);
  uploads.held = false;
  await waitUntil(async () => {
    await clock.advance(LONGEST_PAUSE_MS);
    return 'f' in (await world.onPlatform());
  });
});

describe('svcfs flush', () => {
  it('tells what a mount without --write-back could not upload when nobody waited, and tries it again', async () => {
    await start({ writeBack: false });
    uploads.held = true;
    const closed = world.close((await world.create('f')).handle);
    (await uploads.nth(1)).fail();
    await closed;
    const flushed = world.side.flush('/one', world.by().signal);
    (await uploads.nth(2)).fail();
    expect(await flushed).toMatchObject([{ errno: 'EIO', message: expect.stringContaining('/one/f') }]);
    expect(await world.side.flush('/two', world.by().signal)).toEqual([]);
    uploads.held = false;
    expect(await world.side.flush('/one', world.by().signal)).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: '' });
  });
});

describe('what was closed with --write-back in an outage, and is emptied to be written again', () => {
  const emptied = async () => world.open((await world.child('f'))!, O_WRONLY | O_TRUNC);

  it('is not uploaded before its last close, though a descriptor of it is closed before the first byte', async () => {
    await closedInAnOutage();
    const handle = await emptied();
    await world.side.openFiles.flush(handle, world.by());
    await clock.advance(LONGEST_PAUSE_MS);
    await clock.advance(LONGEST_PAUSE_MS);
    expect(uploads.begun).toHaveLength(1);
    uploads.held = false;
    await world.write(handle, 'v3');
    expect(await world.onPlatform()).toEqual({ f: 'v1' });
    await world.close(handle);
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: 'v3' });
  });

  it('is tried again as well when it stays empty', async () => {
    await closedInAnOutage();
    const handle = await emptied();
    await clock.advance(LONGEST_PAUSE_MS);
    await world.close(handle);
    (await uploads.nth(2)).fail();
    await waitUntil(async () => {
      await clock.advance(LONGEST_PAUSE_MS);
      return uploads.begun.length === 3;
    });
    (await uploads.nth(3)).pass();
    expect(await world.side.flush('/', world.by().signal)).toEqual([]);
    expect(await world.onPlatform()).toEqual({ f: '' });
  });

  it('is not what the next mount uploads, were this one killed before it is closed', async () => {
    await closedInAnOutage();
    const handle = await emptied();
    await world.write(handle, 'half');
    await expect(world.side.openFiles.fsync(handle, false, world.by())).rejects.toBe(outage);
    expect(await inJournal()).toMatchObject([{ phase: 'open', extents: [{ start: 0, end: 4 }] }]);
    await world.close(handle);
    expect(await inJournal()).toMatchObject([{ phase: 'publishing' }]);
    await clock.advance(LONGEST_PAUSE_MS);
    (await uploads.nth(2)).pass();
    await world.side.flush('/', world.by().signal);
  });
});
