import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Node, ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import { attributeList } from '../../../../src/vfs/xattr/attribute-list.ts';
import { metadataPages, parseMetadata } from '../../../../src/vfs/xattr/metadata-document.ts';
import { pairName, parseXattrName } from '../../../../src/vfs/xattr/names.ts';
import { NEVER, ReadingWorld } from '../../../support/reading-world.ts';

const PLAIN = { create: false, replace: false };

let world: ReadingWorld;
let node: ProjectFileNode;
beforeEach(async () => {
  world = new ReadingWorld();
  const metadata = { sample: 'S1', 'svc.odd': 'x', 'svcfs.mode': '600' };
  world.platform.addFile(world.platform.rootOf('one'), 'f', { metadata, tags: ['t'] });
  node = await world.file('projects/ada/one/f');
  world.platform.taken();
});

async function get(name: string, of: Node = node): Promise<string> {
  return Buffer.from(await world.xattrs.get(of, name, NEVER)).toString();
}

function set(name: string, value: string | Uint8Array, mode = PLAIN, of: Node = node): Promise<void> {
  return world.xattrs.set(of, { name, value: Buffer.from(value) }, { mode, signal: NEVER });
}

function errno(name: string): object {
  return { errno: name };
}

describe('reading attributes', () => {
  it('makes no request', async () => {
    expect(await get('user.sample')).toBe('S1');
    expect(await get('user.svc.tags')).toBe('["t"]');
    expect(await get('user.svc.id')).toBe(node.record?.id);
    expect(world.xattrs.list(node)).toContain('user.sample');
    expect(world.platform.taken()).toEqual([]);
  });

  it('escapes keys that would read as fields', async () => {
    expect(await get('user.svc%2Eodd')).toBe('x');
    expect(world.xattrs.list(node)).toContain('user.svc%2Eodd');
  });

  it('never shows the pairs that the file system keeps itself', async () => {
    expect(await get('user.svc.metadata')).toBe('{"sample":"S1","svc.odd":"x"}');
    expect(world.xattrs.list(node)).not.toContain('user.svcfs.mode');
    await expect(get('user.svcfs.mode')).rejects.toMatchObject(errno('ENODATA'));
    await expect(set('user.svcfs.mode', '777')).rejects.toMatchObject(errno('EPERM'));
  });

  it.each(['security.x', 'user.'])(
    'of %s on a file are refused for the name, and not for the file',
    async (name) => {
      await expect(set(name, 'v')).rejects.toMatchObject({
        ...errno('EOPNOTSUPP'),
        message: `${name}: only user.<key> is kept here`,
      });
    },
  );

  it('of other namespaces are not supported, so that ls asks for them once and not for every file', () => {
    for (const name of ['security.selinux', 'system.posix_acl_access', 'trusted.x', 'user.']) {
      expect(() => world.xattrs.get(node, name, NEVER)).toThrow(expect.objectContaining(errno('EOPNOTSUPP')));
    }
    expect(() => world.xattrs.get(node, 'user.none', NEVER)).toThrow(
      expect.objectContaining(errno('ENODATA')),
    );
  });

  it('tells the last error, and the job of the path', async () => {
    await expect(get('user.svc.error')).rejects.toMatchObject(errno('ENODATA'));
    world.tree.recordError({ op: 'write', path: '/projects/ada/one/f' }, new Error('boom'));
    world.jobs.push({ id: 'j1' });
    expect(await get('user.svc.error')).toContain('boom');
    expect(await get('user.svc.job')).toBe('{"id":"j1"}');
  });

  it('of a project asks for its details once, and shows its fields', async () => {
    const other = await world.at('projects/ada/two');
    expect(await get('user.svc.root_folder', other)).toBe('root-two');
    expect(await get('user.svc.permissions', other)).toContain('"write":true');
    expect(world.platform.taken()).toEqual(['projects.get']);
  });

  it('of volumes and objects shows where they are', async () => {
    world.platform.addObject('d/o');
    expect(await get('user.svc.access_mode', await world.at('volumes/ada/bucket'))).toBe('RW');
    expect(await get('user.svc.etag', await world.at('volumes/ada/bucket/d/o'))).toBe('e-d/o');
  });
});

describe('setting attributes', () => {
  it('is one request, done when the call returns', async () => {
    await set('user.colour', 'blau');
    expect(world.platform.taken()).toEqual(['files.patchMetadata']);
    expect(await get('user.colour')).toBe('blau');
    expect(world.platform.files.get(node.record!.id)).toMatchObject({
      metadata: { colour: 'blau', sample: 'S1' },
    });
  });

  it.each([
    ['a key over 100 bytes', `user.${'k'.repeat(101)}`, 'v', 'ERANGE'],
    ['a value over 300 bytes', 'user.k', 'v'.repeat(301), 'E2BIG'],
    ['a value that is not UTF-8', 'user.k', new Uint8Array([0xff]), 'EILSEQ'],
    ['a value with a NUL in it', 'user.k', 'a\0b', 'EILSEQ'],
    ['metadata with a NUL in a value', 'user.svc.metadata', '{"a":"\\u0000"}', 'EILSEQ'],
    ['metadata with a NUL in a key', 'user.svc.metadata', '{"\\u0000":"a"}', 'EILSEQ'],
    ['tags with a NUL in one', 'user.svc.tags', '["a","\\u0000"]', 'EILSEQ'],
    ['metadata with half a surrogate pair in a value', 'user.svc.metadata', '{"a":"\\ud83d"}', 'EILSEQ'],
    ['metadata with half a surrogate pair in a key', 'user.svc.metadata', '{"\\ude00":"a"}', 'EILSEQ'],
    ['tags with half a surrogate pair in one', 'user.svc.tags', '["a","\\ud83d"]', 'EILSEQ'],
    ['tags with an empty one', 'user.svc.tags', '["a",""]', 'EINVAL'],
    ['tags with one over 300 bytes', 'user.svc.tags', `["${'t'.repeat(301)}"]`, 'E2BIG'],
    ['more than 1000 tags', 'user.svc.tags', JSON.stringify([...Array(1001).keys()].map(String)), 'ENOSPC'],
    ['a field', 'user.svc.id', 'x', 'EPERM'],
    ['tags that are no JSON array', 'user.svc.tags', '{"a":1}', 'EINVAL'],
    ['metadata that is no object of strings', 'user.svc.metadata', '{"a":1}', 'EINVAL'],
    ['another namespace', 'security.x', 'v', 'EOPNOTSUPP'],
  ])('of %s is refused before anything is sent', async (_, name, value, code) => {
    await expect(set(name, value)).rejects.toMatchObject(errno(code));
    expect(world.platform.taken()).toEqual([]);
  });

  it('of tags counts each once, as the platform keeps them', async () => {
    const tags = Array.from({ length: 1001 }, (_, index) => String(index % 1000));
    await set('user.svc.tags', JSON.stringify(tags), PLAIN);
    await expect(set('user.svc.tags', JSON.stringify([...tags, 'one more']), PLAIN)).rejects.toMatchObject({
      errno: 'ENOSPC',
    });
  });

  it('of pair number 1001 is refused', async () => {
    const pairs = Object.fromEntries(Array.from({ length: 998 }, (_, index) => [`k${index}`, 'v']));
    await set('user.svc.metadata', JSON.stringify({ ...pairs, last: '1' }));
    world.platform.taken();
    await expect(set('user.one-more', 'v')).resolves.toBeUndefined();
    await expect(set('user.too-many', 'v')).rejects.toMatchObject(errno('ENOSPC'));
    // The mode, which was number 1000, gave way to the first.
    expect(world.platform.taken()).toEqual(['files.get', 'files.putMetadata']);
  });

  it('honours XATTR_CREATE and XATTR_REPLACE', async () => {
    await expect(set('user.sample', 'v', { create: true, replace: false })).rejects.toMatchObject(
      errno('EEXIST'),
    );
    await expect(set('user.none', 'v', { create: false, replace: true })).rejects.toMatchObject(
      errno('ENODATA'),
    );
    await set('user.sample', 'v', { create: false, replace: true });
    expect(await get('user.sample')).toBe('v');
  });

  it('of all metadata is one request and keeps our own pairs', async () => {
    await set('user.svc.metadata', '{"a":"1"}');
    expect(world.platform.taken()).toEqual(['files.putMetadata']);
    expect(world.platform.files.get(node.record!.id)).toMatchObject({
      metadata: { a: '1', 'svcfs.mode': '600' },
    });
  });

  it('of a page adds its pairs', async () => {
    await set('user.svc.metadata.1', '{"a":"1","b":"2"}');
    expect(world.platform.taken()).toEqual(['files.patchMetadata']);
    expect(await get('user.svc.metadata')).toBe('{"sample":"S1","svc.odd":"x","a":"1","b":"2"}');
  });

  it('removes one pair by reading all and putting the rest', async () => {
    await world.xattrs.remove(node, 'user.sample', NEVER);
    expect(world.platform.taken()).toEqual(['files.get', 'files.putMetadata']);
    await expect(get('user.sample')).rejects.toMatchObject(errno('ENODATA'));
    expect(await get('user.svc%2Eodd')).toBe('x');
    await expect(world.xattrs.remove(node, 'user.sample', NEVER)).rejects.toMatchObject(errno('ENODATA'));
  });

  it('of a file being written waits for its content', async () => {
    const folder = await world.directory('projects/ada/one');
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    const draft = world.tree.newFile(folder, 'new');
    world.tree.placed(draft);
    await set('user.a', '1', PLAIN, draft);
    await set('user.b', '2', PLAIN, draft);
    await set('user.svc.tags', '["x"]', PLAIN, draft);
    await world.xattrs.remove(draft, 'user.a', NEVER);
    expect(world.platform.taken()).toEqual([]);
    expect(draft.pending).toEqual({ metadata: { b: '2' }, tags: ['x'] });
    expect(await get('user.b', draft)).toBe('2');
  });

  it('that fails keeps what was set before and is still to be sent', async () => {
    const pending = { metadata: { sample: 'S2', other: '1' }, tags: undefined };
    node.pending = pending;
    world.platform.failing.set('files.get', 0);
    await expect(world.xattrs.remove(node, 'user.sample', NEVER)).rejects.toThrow('no answer');
    world.platform.failing.set('files.putMetadata', 0);
    await expect(set('user.svc.metadata', '{"a":"1"}')).rejects.toThrow('no answer');
    expect(node.pending).toEqual(pending);
  });

  it('is not possible on folders, volumes and control files', async () => {
    const folder = world.platform.addFolder(world.platform.rootOf('one'), 'd');
    world.platform.addObject('o');
    for (const path of [
      `projects/ada/one/${folder.name}`,
      'volumes/ada/bucket/o',
      'volumes/ada/bucket',
      'projects',
    ]) {
      const at = await world.at(path);
      await expect(set('user.k', 'v', PLAIN, at), path).rejects.toMatchObject(errno('EOPNOTSUPP'));
      await expect(
        get('user.k', at).catch((error) => Promise.reject(error)),
        path,
      ).rejects.toMatchObject(errno('ENODATA'));
    }
  });

  it('of a project changes name and description, and nothing else', async () => {
    const project = await world.at('projects/ada/one');
    await set('user.svc.description', 'new', PLAIN, project);
    expect(await get('user.svc.description', project)).toBe('new');
    await set('user.svc.name', 'New name', PLAIN, project);
    expect(await world.at('projects/ada/one')).toBe(project);
    await expect(set('user.svc.billing_group', 'x', PLAIN, project)).rejects.toMatchObject(errno('EPERM'));
  });

  it('of a project that nobody has looked into yet asks for its details first', async () => {
    const project = await world.at('projects/ada/two');
    await set('user.svc.description', 'new', PLAIN, project);
    expect(world.platform.taken()).toEqual(['projects.get', 'projects.edit']);
  });

  it('of all metadata works whatever there was, and no page can be removed', async () => {
    const many = Array.from({ length: 900 }, (_, index) => [`k${index}`, 'v'.repeat(300)]);
    await set('user.svc.metadata', JSON.stringify(Object.fromEntries(many)));
    await expect(get('user.svc.metadata')).rejects.toMatchObject(errno('E2BIG'));
    expect(Object.keys(JSON.parse(await get('user.svc.metadata.0'))).length).toBeGreaterThan(100);
    await expect(world.xattrs.remove(node, 'user.svc.metadata.0', NEVER)).rejects.toMatchObject(
      errno('EPERM'),
    );
    await set('user.svc.metadata', '{"a":"1"}');
    expect(await get('user.svc.metadata')).toBe('{"a":"1"}');
    await world.xattrs.remove(node, 'user.svc.metadata', NEVER);
    expect(await get('user.svc.metadata')).toBe('{}');
  });

  it('on a read-only mount gives EROFS', async () => {
    const readOnly = new ReadingWorld({ readOnly: true });
    readOnly.platform.addFile(readOnly.platform.rootOf('one'), 'f');
    const file = await readOnly.at('projects/ada/one/f');
    const change = readOnly.xattrs.set(
      file,
      { name: 'user.k', value: Buffer.from('v') },
      { mode: PLAIN, signal: NEVER },
    );
    await expect(change).rejects.toMatchObject(errno('EROFS'));
  });
});

describe('names of attributes', () => {
  const key = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: fc.constantFrom('s', 'v', 'c', '.', '%', '2E', '25', 'svc.', 'svc%'), minLength: 1 }),
  );

  it('tell every metadata key apart from fields, and back', () => {
    fc.assert(
      fc.property(key, (text) => {
        expect(parseXattrName(pairName(text))).toEqual({ kind: 'pair', key: text });
      }),
    );
  });

  it('are listed for pairs and tags: what a copy should carry', () => {
    expect(world.xattrs.list(node)).toEqual(['user.svc.tags', 'user.sample', 'user.svc%2Eodd']);
  });

  it('fit in a list, the document of all pairs first when not all of them do', () => {
    const keys = Array.from({ length: 1000 }, (_, index) => String(index).padStart(100, 'k'));
    const { names, left } = attributeList([], Object.fromEntries(keys.map((key) => [key, 'v'])));
    expect(names.slice(0, 2)).toEqual(['user.svc.metadata.0', 'user.svc.metadata.1']);
    expect(names.reduce((bytes, name) => bytes + name.length + 1, 0)).toBeLessThanOrEqual(65_536);
    expect(names.length - 2 + left).toBe(1000);
    expect(left).toBeGreaterThan(0);
  });
});

describe('metadata as a document', () => {
  const pairs = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !text.startsWith('svcfs.')),
    fc.string({ maxLength: 75 }),
  );

  it('is read as it was written', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(metadataPages(given).flatMap((page) => Object.entries(parseMetadata(page)))).toEqual(
          Object.entries(given),
        );
      }),
    );
  });

  it('is split into pages that are attributes each', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'v'.repeat(300)]),
    );
    const pages = metadataPages(many);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(65_536);
    expect(Object.assign({}, ...pages.map((page) => JSON.parse(page)))).toEqual(many);
  });
});
