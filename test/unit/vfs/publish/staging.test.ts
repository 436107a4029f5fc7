/** A file for a volume passes a staging folder. These tests say what stays there when something fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { ApiError, TransportError } from '../../../../src/api/errors.ts';
import { errnoOf } from '../../../../src/vfs/errors/errno-of.ts';
import type { Node, VolumeDirectoryNode } from '../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_EXCL,
  O_RDONLY,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  withMethods,
} from '../../../support/changing-world.ts';
import { Gate } from '../../../support/gate.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const broken = new ApiError({ status: 500, code: 0, message: 'out of order' }, { call: 'any' });

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
/** Exports whose jobs end, and whose answer is lost. */
let unanswered: number;
/** Calls that fail before one goes through. */
let failing: { exports: number; deletes: number };

/** Uploads wait for it. */
let sending: Promise<void>;
/** Done before a file is deleted. */
let beforeDeletion: () => Promise<void>;
/** How many lists the service has answered; they wait for it. */
let answers: number;
let answering: Promise<void>;

/** Exports and deletions fail as often as `failing` says. */
function faulty(api: Api): Api {
  const { files, transfers, uploads } = api;
  const inline: typeof uploads.inline = async (...args) => {
    await sending;
    return uploads.inline(...args);
  };
  const startExports: typeof transfers.startExports = async (...args) => {
    if (failing.exports-- > 0) throw broken;
    const started = await transfers.startExports(...args);
    if (unanswered-- <= 0) return started;
    const ids = started.flatMap((each) => (each.ok ? [each.value.id] : []));
    await waitUntil(async () =>
      (await transfers.get('export', ids)).every((each) => each.ok && each.value.state === 'COMPLETED'),
    );
    throw new TransportError('reset', { call: 'any' });
  };
  const remove: typeof files.delete = async (...args) => {
    if (failing.deletes-- > 0) throw broken;
    await beforeDeletion();
    return files.delete(...args);
  };
  const list: typeof files.list = async (...args) => {
    const answer = await files.list(...args);
    answers += 1;
    await answering;
    return answer;
  };
  return withMethods(api, {
    transfers: withMethods(transfers, { startExports }),
    files: withMethods(files, { delete: remove, list }),
    uploads: withMethods(uploads, { inline }),
  });
}

/** Only who asks for the bytes of an object is told their version. */
function withoutEtags(api: Api): Api {
  const { volumes } = api;
  const without = <T extends object>(told: T): T => ({ ...told, etag: undefined });
  const contents: typeof volumes.contents = async (...args) => {
    const page = await volumes.contents(...args);
    return { ...page, objects: page.objects.map(without) };
  };
  const object: typeof volumes.object = async (...args) => {
    const record = await volumes.object(...args);
    return record && without(record);
  };
  const downloadInfo: typeof volumes.downloadInfo = async (...args) =>
    without(await volumes.downloadInfo(...args));
  return withMethods(api, { volumes: withMethods(volumes, { contents, object, downloadInfo }) });
}

beforeEach(async () => {
  failing = { exports: 0, deletes: 0 };
  unanswered = answers = 0;
  sending = answering = Promise.resolve();
  beforeDeletion = () => Promise.resolve();
  world = await ChangingWorld.start({ staging: true, api: faulty, clock: new HastyClock() });
  volume = await world.volume('bucket');
});
afterEach(() => world.end());

describe('an object that is written while others read it', () => {
  it('is read as it is then by all, though it is as large and the service tells no version', async () => {
    await world.end();
    world = await ChangingWorld.start({ staging: true, api: withoutEtags });
    volume = await world.volume('bucket', { object: 'before' });
    const reader = await world.open((await world.child('object', volume)) as Node, O_RDONLY);
    expect(await world.read(reader)).toBe('before');
    await world.put('object', 'after!', volume);
    expect(await world.cat('object', volume)).toBe('after!');
    expect(await world.read(reader)).toBe('after!');
    await world.close(reader);
  });

  it('is read from the volume by who asked for bytes that were still here, and are there now', async () => {
    const { node, handle } = await world.create('object', { parent: volume, flags: O_RDWR });
    await world.write(handle, 'text');
    const draft = node.draft!;
    const gate = new Gate();
    const read: typeof draft.read = async (...args) => {
      await gate.opened;
      return draft.read(...args);
    };
    node.draft = withMethods(draft, { read });
    const reading = world.read(handle);
    await world.side.openFiles.flush(handle, world.by());
    gate.open();
    expect(await reading).toBe('text');
    await world.close(handle);
  });
});

const staged = () => world.onPlatform(world.otherProject);

/** The objects as a user sees them: the bucket also has notes of the service's own. */
async function objects(): Promise<Record<string, string>> {
  const all = Object.entries(await world.onVolume(volume));
  return Object.fromEntries(all.filter(([location]) => !location.startsWith('.svcfs/')));
}

describe('an export that fails', () => {
  it('fails the close, and leaves nothing in the staging folder', async () => {
    failing.exports = 1;
    await expect(world.put('b.txt', 'text', volume)).rejects.toMatchObject({ status: 500 });
    expect(await staged()).toEqual({});
    expect(await objects()).toEqual({});
    expect(await world.child('b.txt', volume)).toBeUndefined();
  });

  it('is told by svcfs flush when nobody waited for it, and made again', async () => {
    failing.exports = 1;
    await world.close((await world.create('b.txt', { parent: volume })).handle);
    const { signal } = world.by();
    expect(await world.side.flush('/', signal)).toMatchObject([
      { errno: 'EIO', message: expect.stringContaining('out of order') },
    ]);
    expect(await world.side.flush('/', signal)).toEqual([]);
    expect(await objects()).toEqual({ 'b.txt': '' });
  });

  it('leaves what can be tried again while the file is open', async () => {
    const { handle } = await world.create('b.txt', { parent: volume });
    await world.write(handle, 'text');
    failing.exports = 1;
    await expect(world.side.openFiles.flush(handle, world.by())).rejects.toMatchObject({ status: 500 });
    await world.close(handle);
    expect(await objects()).toEqual({ 'b.txt': 'text' });
    expect(await staged()).toEqual({});
  });

  it('keeps here what was synced, and leaves nothing in the staging folder', async () => {
    const { handle } = await world.create('b.txt', { parent: volume });
    await world.write(handle, 'text');
    await world.side.openFiles.fsync(handle, false, world.by());
    failing.exports = 1;
    await expect(world.close(handle)).rejects.toMatchObject({ status: 500 });
    expect(world.tree.errors.lastAt('/bucket/b.txt')?.text).toContain('the written bytes are kept at');
    expect(await staged()).toEqual({});
  });
});

describe('the staging folder, listed here while a file is taken out of it', () => {
  const { signal } = new AbortController();
  const names = async () => (await world.tree.childrenOf(world.otherProject, signal)).map(({ name }) => name);

  it('shows the file no more, when it was shown before', async () => {
    let before: readonly string[] = [];
    beforeDeletion = async () => {
      before = await names();
    };
    await world.put('b.txt', 'text', volume);
    expect(before).toHaveLength(1);
    expect(await names()).toEqual([]);
  });

  it('shows the file no more, when the answer was on its way', async () => {
    const gate = new Gate();
    let listing: Promise<readonly string[]> | undefined;
    beforeDeletion = async () => {
      answering = gate.opened;
      const before = answers;
      listing = names();
      await waitUntil(() => answers > before);
    };
    await world.put('b.txt', 'text', volume);
    gate.open();
    await listing;
    expect(await names()).toEqual([]);
  });
});

describe('a file that is opened with O_EXCL', () => {
  const taken = { name: 'JobError', failure: { code: 9107 } };
  const lost = new TransportError('reset', { call: 'any' });

  async function create(text: string) {
    const { handle } = await world.create('lock', { parent: volume, flags: O_WRONLY | O_EXCL });
    await world.write(handle, text);
    return handle;
  }

  it('fails its close when another client made one of its name on the volume meanwhile', async () => {
    const handle = await create('ours');
    await world.putObject(volume, 'lock', 'theirs');
    await expect(world.close(handle)).rejects.toMatchObject(taken);
    expect(await objects()).toEqual({ lock: 'theirs' });
    expect(await staged()).toEqual({});
  });

  it('is closed again after it was written on', async () => {
    const handle = await create('one');
    await world.side.openFiles.flush(handle, world.by());
    await world.write(handle, 'two', 3);
    await world.close(handle);
    expect(await objects()).toEqual({ lock: 'onetwo' });
    expect(await staged()).toEqual({});
  });

  it('is a copy that is closed again after it was written on', async () => {
    const from = await world.open(await world.put('a', 'one'), O_RDONLY);
    const { handle } = await world.create('lock', { parent: volume, flags: O_WRONLY | O_EXCL });
    await world.side.openFiles.copyFileRange(
      { handle: from, offset: 0 },
      { handle, offset: 0 },
      { length: 100, context: world.by() },
    );
    await world.side.openFiles.flush(handle, world.by());
    await world.write(handle, 'two', 3);
    await world.close(handle);
    await world.close(from);
    expect(await objects()).toEqual({ lock: 'onetwo' });
  });

  it('is closed again when the object could not be looked at after its export', async () => {
    const handle = await create('one');
    vi.spyOn(world.tree.api.volumes, 'object').mockRejectedValueOnce(lost);
    await expect(world.side.openFiles.flush(handle, world.by())).rejects.toThrow('reset');
    await world.write(handle, 'two', 3);
    await world.close(handle);
    expect(await objects()).toEqual({ lock: 'onetwo' });
    expect(await staged()).toEqual({});
  });

  it.each(['as it is', 'after it was written on'])(
    'does not take its own object for another when the answer was lost: closed again %s',
    async (how) => {
      const handle = await create('one');
      unanswered = 1;
      await expect(world.side.openFiles.flush(handle, world.by())).rejects.toThrow('reset');
      if (how !== 'as it is') await world.write(handle, 'two', 3);
      await world.close(handle);
      expect(await objects()).toEqual({ lock: how === 'as it is' ? 'one' : 'onetwo' });
      expect(await staged()).toEqual({});
    },
  );
});

it.each(['other', 'there'])(
  'a file that is renamed to %s while what was closed is on its way is an object by then, and keeps its name',
  async (name) => {
    await world.putObject(volume, 'there', 'before');
    const before = await world.child(name, volume);
    const gate = new Gate();
    sending = gate.opened;
    const { handle } = await world.create('b.txt', { parent: volume });
    await world.write(handle, 'closed');
    const closed = world.close(handle);
    await waitUntil(() => world.writer.uploads().length > 0);
    const renamed = world.rename('b.txt', name, { parent: volume }).catch(errnoOf);
    await new Promise((resolve) => setImmediate(resolve));
    gate.open();
    await closed;
    expect(await renamed).toBe('EPERM');
    expect(await objects()).toEqual({ there: 'before', 'b.txt': 'closed' });
    expect(await world.cat('b.txt', volume)).toBe('closed');
    expect(await world.child(name, volume)).toBe(before);
  },
);

describe('an object that is emptied while what was closed is on its way', () => {
  let gate: Gate;
  async function closing(): Promise<{ readonly node: Node; readonly closed: Promise<void> }> {
    gate = new Gate();
    sending = gate.opened;
    const { node, handle } = await world.create('b.txt', { parent: volume });
    await world.write(handle, 'closed');
    const closed = world.close(handle);
    await waitUntil(() => world.writer.uploads().length > 0);
    return { node, closed };
  }

  it('is there as it was closed, and then as it was written anew', async () => {
    const { node, closed } = await closing();
    const emptied = world.open(node, O_WRONLY | O_TRUNC, world.by(2));
    gate.open();
    await closed;
    expect(await objects()).toEqual({ 'b.txt': 'closed' });
    const handle = await emptied;
    await world.write(handle, 'new');
    await world.close(handle, world.by(2));
    expect(await objects()).toEqual({ 'b.txt': 'new' });
    expect(await staged()).toEqual({});
  });

  it('has nothing of what was closed, though it is being emptied just when that has arrived', async () => {
    const { node, closed } = await closing();
    const cut = new Gate();
    const draft = node.kind === 'volume-object' ? node.draft : undefined;
    if (!draft) throw new Error('no draft');
    const truncate = draft.truncate.bind(draft);
    draft.truncate = async (...given) => {
      await truncate(...given);
      await cut.opened;
    };
    const emptied = world.open(node, O_WRONLY | O_TRUNC, world.by(2));
    gate.open();
    await closed;
    cut.open();
    const handle = await emptied;
    await world.write(handle, 'new');
    await world.close(handle, world.by(2));
    expect(await objects()).toEqual({ 'b.txt': 'new' });
    expect(await staged()).toEqual({});
  });

  it('is as it was closed when who empties it gives up waiting, and leaves nothing in the staging folder', async () => {
    const { node, closed } = await closing();
    const interrupt = new AbortController();
    const waiting = world.open(node, O_WRONLY | O_TRUNC, world.by(2, interrupt.signal));
    const refused = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await new Promise((resolve) => setImmediate(resolve));
    interrupt.abort();
    gate.open();
    await Promise.all([refused, closed]);
    expect(await objects()).toEqual({ 'b.txt': 'closed' });
    await waitUntil(async () => Object.keys(await staged()).length === 0);
    expect(await world.cat('b.txt', volume)).toBe('closed');
  });
});

describe('a staged file that cannot be removed', () => {
  it('does not fail the close, and is removed in the background', async () => {
    failing.deletes = 3;
    await world.put('b.txt', 'text', volume);
    expect(await objects()).toEqual({ 'b.txt': 'text' });
    expect(await world.cat('b.txt', volume)).toBe('text');
    await waitUntil(async () => Object.keys(await staged()).length === 0);
  });

  it('is removed too when its export had failed', async () => {
    failing = { exports: 1, deletes: 2 };
    await expect(world.put('b.txt', 'text', volume)).rejects.toMatchObject({ status: 500 });
    await waitUntil(async () => Object.keys(await staged()).length === 0);
  });
});

it('keeps what is written during an export, however small the spool is', async () => {
  await world.end();
  let during: (() => Promise<unknown>) | undefined;
  const interrupted = (api: Api): Api => {
    const startExports: Api['transfers']['startExports'] = async (...args) => {
      const meanwhile = during;
      during = undefined;
      await meanwhile?.();
      return api.transfers.startExports(...args);
    };
    return withMethods(api, { transfers: withMethods(api.transfers, { startExports }) });
  };
  world = await ChangingWorld.start({
    staging: true,
    api: interrupted,
    clock: new HastyClock(),
    spoolSizeBytes: 1000,
  });
  volume = await world.volume('bucket');
  await world.put('b.txt', 'o'.repeat(5000), volume);
  const handle = await world.open((await world.child('b.txt', volume))!, O_RDWR);
  await world.write(handle, 'x', 0);
  during = () => world.write(handle, 'y', 10);
  await world.side.openFiles.flush(handle, world.by());
  await world.close(handle);
  expect(await objects()).toEqual({ 'b.txt': `x${'o'.repeat(9)}y${'o'.repeat(4989)}` });
  expect(await staged()).toEqual({});
});

it('takes names as long as a volume does', async () => {
  const name = `${'a'.repeat(246)}.fastq.gz`;
  await world.put(name, 'text', volume);
  expect(await objects()).toEqual({ [name]: 'text' });
  expect(await staged()).toEqual({});
});
