import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { deferred } from '../../../../../src/lib/deferred.ts';
import { S_IFLNK, S_IFREG } from '../../../../../src/vfs/attributes/attributes-of.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
} from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import {
  ChangingWorld,
  O_EXCL,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../../support/changing-world.ts';

const S_IFMT = 0o170_000;
const LONG = `${'d/'.repeat(200)}end`;

let world: ChangingWorld;
async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}
afterEach(() => world.end());

async function link(
  name: string,
  target: string,
  parent: DirectoryNode = world.folder,
): Promise<ProjectFileNode> {
  return (await world.side.mutations.symlink({ parent, name }, target, world.by())) as ProjectFileNode;
}

async function targetOf(node: Node | undefined): Promise<string> {
  return world.side.mutations.readlink(node!, world.by());
}

function statOf(node: Node): { readonly type: number; readonly sizeBytes: number } {
  const { mode, sizeBytes } = world.tree.attributesOf(node).attributes;
  return { type: mode & S_IFMT, sizeBytes };
}

async function lookedUpAnew(name: string, parent: DirectoryNode = world.folder): Promise<Node> {
  world.tree.expire(parent);
  const node = await world.child(name, parent);
  if (!node) throw new Error(`no ${name}`);
  return node;
}

const withErrno = (errno: string) => (error: unknown) => errnoOf(error) === errno;

describe('a symbolic link', () => {
  it.each([
    ['a short target is in its pair', 'a/b c', 'a/b c'],
    ['so is one that is the word for a long one', 'content', 'content'],
    ['one of 300 bytes as well', 'ü'.repeat(150), 'ü'.repeat(150)],
    ['a longer one is in its content', LONG, 'content'],
    ['one of 4,095 bytes as well', 'x'.repeat(4095), 'content'],
  ])('is a small file whose content is the target: %s', async (_, target, pair) => {
    await start();
    const made = await link('l', target);
    const file = await world.tree.api.files.get(made.record!.id);
    expect(file).toMatchObject({ name: 'l', metadata: { 'svcfs.symlink': pair } });
    expect(await world.onPlatform()).toEqual({ l: target });
    const found = await lookedUpAnew('l');
    expect(found).toBe(made);
    expect(await targetOf(found)).toBe(target);
    expect(statOf(found)).toEqual({ type: S_IFLNK, sizeBytes: Buffer.byteLength(target) });
    expect(world.tree.attributesOf(found).attributes.mode & 0o7777).toBe(0o777);
  });

  it.each([
    ['a target of more than 4,095 bytes', 'l', 'x'.repeat(4096), 'ENAMETOOLONG'],
    ['a name that is taken', 'taken', 'a', 'EEXIST'],
    ['a name that stands for another', 'svc~a', 'a', 'EPERM'],
  ])('is not made with %s', async (_, name, target, errno) => {
    await start();
    await world.put('taken', 'text');
    await expect(link(name, target)).rejects.toSatisfy(withErrno(errno));
    expect(await world.onPlatform()).toEqual({ taken: 'text' });
  });

  it('is not made where another client has just put a file, which stays', async () => {
    await start();
    await world.child('l');
    await world.user.upload(folderIdOf(world.folder), 'l', 'theirs');
    await expect(link('l', 'a')).rejects.toSatisfy(withErrno('EEXIST'));
    expect(await world.onPlatform()).toEqual({ l: 'theirs' });
  });

  it('is not made in a volume: EPERM, with a reason', async () => {
    await start();
    const parent = await world.volume('bucket');
    await expect(link('l', 'a', parent)).rejects.toMatchObject({ errno: 'EPERM', message: /volume/ });
  });

  it('leaves nothing when it cannot be marked', async () => {
    const refuse = async (): Promise<never> => {
      throw Object.assign(new Error('no'), { name: 'ApiError', status: 500, code: 0, call: 'PATCH' });
    };
    const refusing = (api: Api): Api =>
      withMethods(api, { files: withMethods(api.files, { patchMetadata: refuse, edit: refuse }) });
    await start({ api: refusing, capabilities: [] });
    await expect(link('l', 'a')).rejects.toSatisfy(withErrno('EIO'));
    expect(await world.onPlatform()).toEqual({});
    expect(world.writer.uploads()).toEqual([]);
  });

  it('tells under its path what stays of one that could neither be marked nor removed', async () => {
    const refuse = async (): Promise<never> => {
      throw Object.assign(new Error('no'), { name: 'ApiError', status: 500, code: 0, call: 'PATCH' });
    };
    const calls = { patchMetadata: refuse, edit: refuse, delete: refuse };
    const refusing = (api: Api): Api => withMethods(api, { files: withMethods(api.files, calls) });
    await start({ api: refusing, capabilities: [] });
    await expect(link('l', 'a')).rejects.toSatisfy(withErrno('EIO'));
    expect(world.tree.errors.lastAt('/one/l')).toMatchObject({ op: 'symlink', errno: 'EIO' });
  });

  it('stays a link when it is renamed, moved to another folder, and to another project', async () => {
    await start();
    await link('l', 'a');
    const sub = (await world.side.mutations.mkdir(
      { parent: world.folder, name: 'sub' },
      0o755,
      world.by(),
    )) as ProjectFolderNode;
    await world.rename('l', 'm');
    await world.rename('m', 'n', { toParent: sub });
    await world.rename('n', 'o', { parent: sub, toParent: world.otherProject });
    const moved = await lookedUpAnew('o', world.otherProject);
    expect(statOf(moved).type).toBe(S_IFLNK);
    expect(await targetOf(moved)).toBe('a');
  });

  it('takes the place of a file, and a file that of a link, without what described the other', async () => {
    await start();
    const file = await world.put('f', 'text');
    const signal = new AbortController().signal;
    await new FileMetadata(world.tree).merge(file, { sample: 'S1' }, signal);
    await link('l', 'a');
    await world.rename('l', 'f');
    const now = (await lookedUpAnew('f')) as ProjectFileNode;
    expect(now.record?.metadata).toEqual({ 'svcfs.symlink': 'a' });
    await world.put('g', 'more');
    await world.rename('g', 'f');
    const again = (await lookedUpAnew('f')) as ProjectFileNode;
    expect(statOf(again)).toEqual({ type: S_IFREG, sizeBytes: 4 });
    expect(again.record?.metadata).toEqual({});
  });

  it('gives way to a file that is still written', async () => {
    await start();
    await link('l', 'a');
    const { handle } = await world.create('draft');
    await world.write(handle, 'text');
    await world.rename('draft', 'l');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ l: 'text' });
    expect(statOf(await lookedUpAnew('l')).type).toBe(S_IFREG);
  });

  it('is removed as a file is', async () => {
    await start();
    await link('l', 'a');
    await world.side.mutations.unlink({ parent: world.folder, name: 'l' }, world.by());
    expect(await world.onPlatform()).toEqual({});
  });

  it('is not exported, neither alone nor in a folder: EPERM, with a reason', async () => {
    await start();
    const volume = await world.volume('bucket');
    const sub = (await world.side.mutations.mkdir(
      { parent: world.folder, name: 'sub' },
      0o755,
      world.by(),
    )) as ProjectFolderNode;
    await world.put('f', 'text', sub);
    await link('l', 'f', sub);
    const refusal = expect.objectContaining({ message: expect.stringContaining('symbolic link') });
    await expect(world.rename('l', 'l', { parent: sub, toParent: volume })).rejects.toEqual(refusal);
    await expect(world.rename('sub', 'sub', { toParent: volume })).rejects.toEqual(refusal);
    expect(Object.keys(await world.onVolume(volume)).filter((key) => !key.startsWith('.svcfs/'))).toEqual([]);
  });

  it('is a plain file, and another node, once its pair was removed elsewhere; and a link when it has one again', async () => {
    await start();
    const made = await link('l', 'a');
    const { id } = made.record!;
    await world.tree.api.files.putMetadata(id, {});
    const plain = await lookedUpAnew('l');
    expect(plain).not.toBe(made);
    expect(statOf(plain)).toEqual({ type: S_IFREG, sizeBytes: 1 });
    expect(await world.cat('l')).toBe('a');
    await world.tree.api.files.patchMetadata(id, { 'svcfs.symlink': 'b' });
    const linked = await lookedUpAnew('l');
    expect(linked).not.toBe(plain);
    expect(await targetOf(linked)).toBe('b');
  });

  it('that is no file any more does not take the name from what is written here', async () => {
    await start();
    const node = await world.put('f', 'text');
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'more');
    await world.tree.api.files.patchMetadata(node.record!.id, { 'svcfs.symlink': 'a' });
    expect(await lookedUpAnew('f')).toBe(node);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ f: 'more' });
  });

  it('that another client made is followed by who creates a file there, and refused to who insists on a new one', async () => {
    await start();
    await link('l', 'a');
    await expect(world.create('l')).rejects.toSatisfy(withErrno('ESTALE'));
    await expect(world.create('l', { flags: O_WRONLY | O_EXCL })).rejects.toSatisfy(withErrno('EEXIST'));
  });

  it('is published as a link by the next mount', async () => {
    const over = deferred();
    const hold = async (): Promise<never> => {
      await over.promise;
      throw Object.assign(new Error('gone'), { name: 'ApiError', status: 404, code: 5002, call: 'PATCH' });
    };
    const holding = (api: Api): Api =>
      withMethods(api, { files: withMethods(api.files, { patchMetadata: hold, edit: hold }) });
    await start({ api: holding, capabilities: [] });
    const first = link('l', 'a').catch(() => undefined);
    await expect.poll(() => world.onPlatform()).toEqual({ l: 'a' });
    const next = await world.afterKill();
    await next.side.idle(new AbortController().signal);
    const node = await next.child('l');
    expect((node as ProjectFileNode).record?.metadata).toEqual({ 'svcfs.symlink': 'a' });
    over.resolve();
    await first;
    await next.end();
  });
});

describe('--no-symlinks', () => {
  it('shows the small file, lets it be read and replaced, and makes none', async () => {
    await start({ options: { symlinks: false } });
    const file = await world.user.upload(folderIdOf(world.folder), 'l', 'a/b');
    await world.tree.api.files.patchMetadata(file.id, { 'svcfs.symlink': 'a/b' });
    const node = await lookedUpAnew('l');
    expect(statOf(node)).toEqual({ type: S_IFREG, sizeBytes: 3 });
    expect(await lookedUpAnew('l')).toBe(node);
    expect(await world.cat('l')).toBe('a/b');
    await expect(link('m', 'a')).rejects.toMatchObject({ errno: 'EPERM', message: /--no-symlinks/ });
    await world.put('l', 'other');
    expect((await world.tree.api.files.get((node as ProjectFileNode).record!.id)) as object).toMatchObject({
      metadata: {},
    });
  });
});
