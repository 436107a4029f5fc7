import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FsError } from '../../../../src/vfs/errors/fs-error.ts';
import type { NodeId } from '../../../../src/vfs/file-system.ts';
import type { SyntheticDirectory, SyntheticEntry } from '../../../../src/vfs/model/synthetic.ts';
import { file, fixedEntries, link } from '../../../../src/vfs/synthetic/entries.ts';
import { SyntheticNodes } from '../../../../src/vfs/synthetic/nodes.ts';
import { SyntheticWorld } from '../../../support/synthetic-world.ts';

const TTL_MS = 60_000;

/** A directory whose entries a test changes, and which says what it was asked. */
function changing(
  entries: Map<string, SyntheticEntry>,
  pageOf = 2,
): SyntheticDirectory & { asked: string[] } {
  const asked: string[] = [];
  return {
    kind: 'directory',
    entriesTtlMs: TTL_MS,
    asked,
    lookup: (name) => {
      asked.push(`lookup ${name}`);
      return entries.get(name);
    },
    list: (cursor = '0') => {
      asked.push(`list ${cursor}`);
      const from = Number(cursor);
      const names = [...entries].slice(from, from + pageOf).map(([name, { kind }]) => ({ name, kind }));
      return { names, ...(from + pageOf < entries.size && { next: String(from + pageOf) }) };
    },
  };
}

describe('a file', () => {
  it('has the size and the bytes that it had when its name was looked up', async () => {
    let text = 'one';
    const world = new SyntheticWorld(fixedEntries({ f: file(() => text) }, { entriesTtlMs: 0 }));
    const first = await world.node('f');
    const { handle, keepCache, directIo } = world.trees.open(first, constants.O_RDONLY);
    expect({ keepCache, directIo }).toEqual({ keepCache: true, directIo: false });
    text = 'another';
    expect(await world.stat('f')).toMatchObject({ attributes: { sizeBytes: 7 } });
    expect(await world.read('f')).toBe('another');
    expect(world.readHandle(handle)).toBe('one');
    expect(world.trees.getattr(first).attributes.sizeBytes).toBe(3);
  });

  it('is the same node while its bytes are, and has the same st_ino ever', async () => {
    let text = 'one';
    const world = new SyntheticWorld(fixedEntries({ f: file(() => text) }, { entriesTtlMs: 0 }));
    const before = await world.stat('f');
    expect((await world.stat('f')).node).toBe(before.node);
    text = 'two';
    const after = await world.stat('f');
    expect(after.node).not.toBe(before.node);
    expect(after).toMatchObject({
      attributes: { ino: before.node && world.trees.getattr(before.node).attributes.ino },
    });
  });

  it('is rendered once per TTL, and once for all who look at a time', async () => {
    let rendered = 0;
    const f = file(async () => `${++rendered}`);
    const world = new SyntheticWorld(fixedEntries({ f }, { entriesTtlMs: TTL_MS }));
    await Promise.all([world.read('f'), world.read('f')]);
    await world.read('f');
    expect(rendered).toBe(1);
    await world.clock.advance(TTL_MS);
    expect(await world.read('f')).toBe('2');
  });

  it('is not written', async () => {
    const world = new SyntheticWorld(fixedEntries({ f: file(() => 'x') }));
    const node = await world.node('f');
    const errno = (of: string): unknown => expect.objectContaining({ errno: of });
    expect(() => world.trees.open(node, constants.O_WRONLY)).toThrow(errno('EACCES'));
    expect(() => world.trees.setattr(node, { sizeBytes: 0 })).toThrow(errno('EPERM'));
    expect(() => world.trees.unlink(2 as NodeId, 'f')).toThrow(errno('EPERM'));
    expect(() => world.trees.create(2 as NodeId, 'g')).toThrow(errno('EPERM'));
  });
});

describe('a directory', () => {
  const files = (count: number): Map<string, SyntheticEntry> =>
    new Map(Array.from({ length: count }, (_, index) => [`f${index}`, file(() => `${index}`)]));

  it('asks for a page when a reader comes to it, and for none twice', async () => {
    const directory = changing(files(5));
    const world = new SyntheticWorld(directory);
    expect(await world.list('', 1)).toEqual(['f0']);
    expect(directory.asked).toEqual(['list 0']);
    expect(await world.list()).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    expect(await world.list()).toHaveLength(5);
    expect(directory.asked).toEqual(['list 0', 'list 2', 'list 4']);
    await world.clock.advance(TTL_MS);
    await world.list('', 1);
    expect(directory.asked).toHaveLength(4);
  });

  it('gives no name twice when entries come between two pages', async () => {
    const entries = files(4);
    const directory = changing(entries);
    const list = directory.list.bind(directory);
    let isFirst = true;
    const shifting: SyntheticDirectory = {
      ...directory,
      list: (cursor, signal) => {
        if (!isFirst) return list(String(Number(cursor) - 1), signal);
        isFirst = false;
        return list(cursor, signal);
      },
    };
    expect(await new SyntheticWorld(shifting).list()).toEqual(['f0', 'f1', 'f2', 'f3']);
  });

  it('looks up what its listing did not tell, and is not asked for what it did', async () => {
    const directory = changing(files(1));
    const world = new SyntheticWorld({
      ...directory,
      list: () => ({ names: [{ name: 'told', kind: 'file', entry: file(() => 'by the listing') }] }),
    });
    await world.list();
    expect(await world.read('told')).toBe('by the listing');
    expect(directory.asked).toEqual([]);
    expect(await world.read('f0')).toBe('0');
    expect(await world.stat('none')).toEqual({ node: undefined, entryTtlMs: 0 });
    expect(directory.asked).toEqual(['lookup f0', 'lookup none']);
  });

  it('is ESTALE when it is gone, to who has it open and to who is in it', async () => {
    const entries = new Map<string, SyntheticEntry>([['d', fixedEntries({ f: file(() => 'x') })]]);
    const world = new SyntheticWorld(changing(entries));
    const node = await world.node('d');
    entries.delete('d');
    await world.clock.advance(TTL_MS);
    expect(await world.stat('d')).toMatchObject({ node: undefined });
    await expect(world.trees.lookup(node, 'f', world.context)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(() => world.trees.opendir(node)).toThrow(expect.objectContaining({ errno: 'ESTALE' }));
  });

  it('is ESTALE, and not empty, when the platform has nothing of it while its names are read', async () => {
    const list = (): never => {
      throw new FsError('ENOENT', 'no such task');
    };
    const world = new SyntheticWorld({ ...changing(new Map()), list });
    await expect(world.list()).rejects.toMatchObject({ errno: 'ESTALE' });
  });

  it('is another node when another thing has its name', async () => {
    const entries = new Map<string, SyntheticEntry>([['d', fixedEntries({}, { id: '1' })]]);
    const world = new SyntheticWorld(changing(entries));
    const node = await world.node('d');
    await world.clock.advance(TTL_MS);
    expect(await world.node('d')).toBe(node);
    entries.set('d', fixedEntries({}, { id: '2' }));
    await world.clock.advance(TTL_MS);
    expect(await world.node('d')).not.toBe(node);
  });
});

it('a link leads to another place once it does', async () => {
  const entries = new Map<string, SyntheticEntry>([['l', link('../a')]]);
  const world = new SyntheticWorld(changing(entries));
  expect(await world.readlink('l')).toBe('../a');
  entries.set('l', link('../b'));
  await world.clock.advance(TTL_MS);
  expect(await world.readlink('l')).toBe('../b');
});

it('what changed is asked for anew, and forgotten by the kernel; a directory keeps its node', async () => {
  let text = 'RUNNING';
  const task = fixedEntries({ status: file(() => text), inputs: fixedEntries({ reads: link('x') }) });
  const world = new SyntheticWorld(fixedEntries({ task }));
  const directory = await world.node('task');
  await world.node('task/inputs/reads');
  expect(await world.read('task/status')).toBe('RUNNING');
  text = 'COMPLETED';
  expect(await world.read('task/status')).toBe('RUNNING');
  world.trees.changed(['/top/task', '/top/none/at/all', '/elsewhere']);
  expect(world.forgotten).toEqual(['/top/task/status', '/top/task']);
  expect(await world.read('task/status')).toBe('COMPLETED');
  expect(await world.node('task')).toBe(directory);
});

describe('a control file', () => {
  const taken: string[] = [];
  const world = new SyntheticWorld(
    fixedEntries({
      ctl: {
        kind: 'control',
        take: (word) => {
          if (word === 'fail') throw new FsError('EINVAL', 'the task is RUNNING');
          taken.push(word);
        },
      },
    }),
  );
  const write = async (text: string): Promise<number> => {
    const { handle } = world.trees.open(await world.node('ctl'), constants.O_WRONLY | constants.O_TRUNC);
    return world.trees.write(handle, 0, Buffer.from(text), world.context);
  };

  it('takes one word in one write, whose error write(2) returns', async () => {
    expect(await write('run\n')).toBe(4);
    expect(taken.splice(0)).toEqual(['run']);
    await expect(write('fail\n')).rejects.toMatchObject({ errno: 'EINVAL', message: 'the task is RUNNING' });
  });

  it.each(['', '\n', 'run abort\n', 'x'.repeat(300)])('refuses %j', async (text) => {
    await expect(write(text)).rejects.toMatchObject({ errno: 'EINVAL' });
    expect(taken).toEqual([]);
  });

  it('does nothing when it is opened, truncated, touched or read', async () => {
    const node = await world.node('ctl');
    const { handle, directIo } = world.trees.open(node, constants.O_RDWR | constants.O_TRUNC);
    expect(directIo).toBe(true);
    world.trees.setattr(node, { sizeBytes: 0 });
    world.trees.setattr(node, { mtimeNs: 'now' });
    expect(world.readHandle(handle)).toBe('');
    world.trees.release(handle);
    expect(taken).toEqual([]);
    expect(() => world.trees.setattr(node, { mode: 0o666 })).toThrow(
      expect.objectContaining({ errno: 'EPERM' }),
    );
    expect(await world.stat('ctl')).toMatchObject({ attributes: { mode: 0o100_200, sizeBytes: 0 } });
  });
});

it('entries tell that somebody looks', async () => {
  let looks = 0;
  const looked = (): void => {
    looks += 1;
  };
  const world = new SyntheticWorld(fixedEntries({ d: fixedEntries({}, { looked }) }));
  await world.list('d');
  expect(looks).toBe(2);
});

it('fields are attributes that are read by name, and nothing else is', async () => {
  const world = new SyntheticWorld(fixedEntries({ d: fixedEntries({}, { fields: { id: 'x1' } }) }));
  const node = await world.node('d');
  expect(Buffer.from(world.trees.getxattr(node, 'user.svc.id')).toString()).toBe('x1');
  expect(() => world.trees.getxattr(node, 'user.other')).toThrow(
    expect.objectContaining({ errno: 'ENODATA' }),
  );
  expect(world.trees.listxattr()).toEqual([]);
});

it('gives up the bytes of the oldest files, which the kernel then asks for again', async () => {
  const forgotten: string[] = [];
  const nodes = new SyntheticNodes({ invalidateEntry: (_, name) => forgotten.push(name) }, 10);
  const top = { id: 2 as NodeId, children: new Map() };
  const add = (name: string): void => {
    const made = { parent: top, name, kind: 'file', bytes: Buffer.alloc(6), lookups: 1, isGone: false };
    nodes.add((id) => ({ id, ...made }) as never);
  };
  add('a');
  add('b');
  expect(forgotten).toEqual(['a']);
  add('c');
  expect(forgotten).toEqual(['a', 'b']);
});
