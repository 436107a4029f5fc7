/** Files that are written, or exist only here, in the folders of a move between project and volume. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import type {
  DirectoryNode,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeDirectoryNode,
} from '../../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  type WorldOptions,
} from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

const TEMPORARY = '.reads.2FDMwM';

let world: ChangingWorld;
let volume: VolumeDirectoryNode;

async function start(options: WorldOptions['options'] = {}): Promise<void> {
  world = await ChangingWorld.start({
    staging: true,
    options: { temporaryNames: ['.*.??????'], ...options },
  });
  volume = await world.volume('bucket', { 'in/reads.txt': 'ACGT', 'run/old': 'there', plain: 'N' });
}
afterEach(() => world.end());

async function mkdir(name: string, parent: DirectoryNode): Promise<DirectoryNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as DirectoryNode;
}

const folder = async (name: string, parent: ProjectFolderNode = world.folder) =>
  (await mkdir(name, parent)) as ProjectFolderNode;
const child = async <N>(name: string, parent: DirectoryNode = world.folder) =>
  (await world.child(name, parent)) as N;

/** Has something happen here while the platform is exporting, or before it begins. */
function whileExporting(happens: () => Promise<unknown>, when: 'before' | 'begun' = 'begun'): void {
  const { transfers } = world.tree.api;
  const startExports = transfers.startExports.bind(transfers);
  vi.spyOn(transfers, 'startExports').mockImplementationOnce(async (...given) => {
    if (when === 'before') await happens();
    const started = await startExports(...given);
    if (when === 'begun') await happens();
    return started;
  });
}

/** Exports a file to which someone does this meanwhile, and does not wait for that; answers what that answers or throws. */
async function triedWhileExporting(
  node: ProjectFileNode,
  change: (node: ProjectFileNode) => Promise<unknown>,
): Promise<unknown> {
  const trying = new Gate<Promise<unknown>>();
  whileExporting(async () => trying.open(change(node).catch((error: unknown) => error)));
  await world.rename(node.name, node.name, { toParent: volume });
  return trying.opened;
}

async function overwrite(node: ProjectFileNode): Promise<void> {
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'more');
  await world.close(handle);
}

/** truncate(2) */
async function cut(node: ProjectFileNode): Promise<void> {
  await world.side.openFiles.truncate(node, 0, { handle: undefined, context: world.by() });
}

/** A file that is begun in a folder while something is exported; answers what closes it. */
function beginsMeanwhile(parent: ProjectFolderNode): () => Promise<void> {
  let handle: FileHandle | undefined;
  whileExporting(async () => {
    ({ handle } = await world.create('new', { parent }));
    await world.write(handle, 'text');
  });
  return async () => {
    if (handle === undefined) throw new Error('nothing was exported');
    await world.close(handle);
  };
}

describe('a move of a folder between project and volume', () => {
  beforeEach(() => start());

  it('leaves what is being written in the folder that it adds to where it is', async () => {
    const inside = await folder('in');
    const { node, handle } = await world.create('log', { parent: inside });
    await world.write(handle, 'one');
    await world.rename('in', 'in', { parent: volume, toParent: world.folder });
    const now = await child<ProjectFolderNode>('in');
    expect(await world.child('log', now)).toBe(node);
    await world.write(handle, ' two', 3);
    await world.close(handle);
    expect(await world.onPlatform(now)).toEqual({ log: 'one two', 'reads.txt': 'ACGT' });
    expect(await world.cat('log', now)).toBe('one two');
  });

  it('makes other directories of those below it, which the kernel takes for moved or removed', async () => {
    const inside = await folder('in');
    const deep = await folder('deep', inside);
    const { node, handle } = await world.create('log', { parent: deep });
    await world.write(handle, 'text');
    await world.rename('in', 'in', { parent: volume, toParent: world.folder });
    const now = await child<ProjectFolderNode>('in');
    const deepNow = await child<ProjectFolderNode>('deep', now);
    expect(now.id).not.toBe(inside.id);
    expect(deepNow.id).not.toBe(deep.id);
    expect(now.ino).toBe(inside.ino);
    expect(await world.child('log', deepNow)).toBe(node);
    await world.close(handle);
    expect(await world.onPlatform(deepNow)).toEqual({ log: 'text' });
  });

  it('leaves what is begun in an exported folder meanwhile where it is', async () => {
    const run = await folder('run');
    await world.put('one', '1', run);
    const finish = beginsMeanwhile(run);
    await world.rename('run', 'run', { toParent: volume });
    await finish();
    const now = await child<ProjectFolderNode>('run');
    expect(await world.onPlatform(now)).toMatchObject({ new: 'text' });
    expect(await world.cat('new', now)).toBe('text');
  });

  it('leaves the files and folders on both sides that exist only here', async () => {
    const run = await child<VolumeDirectoryNode>('run', volume);
    await world.put(TEMPORARY, 'kept', run);
    await mkdir('empty', run);
    await world.put('one', '1', await folder('run'));
    await world.rename('run', 'run', { toParent: volume });
    const now = await child<VolumeDirectoryNode>('run', volume);
    expect(await world.cat(TEMPORARY, now)).toBe('kept');
    expect(await world.cat('one', now)).toBe('1');
    await world.rename('run', 'back', { parent: volume, toParent: world.folder });
    const names = (await world.tree.childrenOf(await child('run', volume), world.by().signal)).map(
      ({ name }) => name,
    );
    expect(names.sort()).toEqual([TEMPORARY, 'empty', 'old', 'one']);
  });

  it('makes a folder that was made here, and all it is in, folders of the volume', async () => {
    const local = await mkdir('new', await mkdir('outer', volume));
    const outer = await child<VolumeDirectoryNode>('outer', volume);
    await world.put('one', '1', await folder('new'));
    await world.rename('new', 'new', { toParent: outer });
    expect(await world.child('new', outer)).not.toBe(local);
    const removing = world.side.mutations.rmdir({ parent: outer, name: 'new' }, world.by());
    await expect(removing).rejects.toMatchObject({ errno: 'ENOTEMPTY' });
  });

  it('of an empty folder takes no folder away that was made here', async () => {
    const outer = (await mkdir('outer', volume)) as VolumeDirectoryNode;
    await folder('new');
    await world.rename('new', 'new', { toParent: outer });
    world.tree.expire(volume);
    await world.tree.childrenOf(volume, world.by().signal);
    expect(await world.child('outer', volume)).toBe(outer);
  });
});

describe('a file moved to a volume', () => {
  beforeEach(() => start());

  it('is not written meanwhile: whoever opens it to write it finds the alias', async () => {
    const opening = triedWhileExporting(await world.put('f', 'moved'), (node) => world.open(node, O_WRONLY));
    expect(await opening).toMatchObject({ errno: 'ESTALE' });
    expect(await world.cat('f')).toBe('moved');
  });

  it('is not moved when someone has begun to write it since it was sent: EBUSY, and all that is written stays', async () => {
    const node = await world.put('f', 'kept');
    const { files } = world.tree.api;
    const patchMetadata = files.patchMetadata.bind(files);
    const opened = new Gate<FileHandle>();
    vi.spyOn(files, 'patchMetadata').mockImplementationOnce(async (...given) => {
      opened.open(await world.open(node, O_WRONLY));
      return patchMetadata(...given);
    });
    const mode = world.side.mutations.setattr(
      node,
      { mode: 0o600 },
      { handle: undefined, context: world.by() },
    );
    await expect(world.rename('f', 'f', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    await mode;
    const handle = await opened.opened;
    await world.write(handle, 'W');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ f: 'Wept' });
    expect(await world.onVolume(volume)).not.toHaveProperty('f');
  });

  it('is not moved when someone is about to empty it, to read it only: EBUSY, and it is empty then', async () => {
    const node = await world.put('f', 'text');
    const asked = new Gate();
    const revalidate = world.tree.revalidate.bind(world.tree);
    vi.spyOn(world.tree, 'revalidate').mockImplementationOnce(async (...given) => {
      await asked.opened;
      await revalidate(...given);
    });
    const opening = world.open(node, O_RDONLY | O_TRUNC);
    await expect(world.rename('f', 'f', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    asked.open();
    await world.close(await opening);
    expect(await world.onPlatform()).toEqual({ f: '' });
  });

  it('does not take the place of one that is being written: EBUSY, and neither is lost', async () => {
    await world.put('f', 'moved');
    const { handle } = await world.create('f', { parent: volume });
    await world.write(handle, 'written');
    await expect(world.rename('f', 'f', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    await world.close(handle);
    expect(await world.onVolume(volume)).toMatchObject({ f: 'written' });
    expect(await world.onPlatform()).toEqual({ f: 'moved' });
    await world.rename('f', 'f', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ f: 'moved' });
    expect(await world.cat('f', volume)).toBe('moved');
  });

  it('does not take the place of one that is open to be written, though nothing was written yet', async () => {
    await world.put('plain', 'moved');
    const handle = await world.open((await world.child('plain', volume))!, O_WRONLY);
    await expect(world.rename('plain', 'plain', { toParent: volume })).rejects.toMatchObject({
      errno: 'EBUSY',
    });
    await world.write(handle, 'W');
    await world.close(handle);
    expect(await world.onVolume(volume)).toMatchObject({ plain: 'W' });
    expect(await world.onPlatform()).toEqual({ plain: 'moved' });
  });

  it('is what who opens its new name meanwhile is sent to', async () => {
    await world.put('plain', 'moved');
    const old = (await world.child('plain', volume))!;
    const opening = new Gate<Promise<unknown>>();
    whileExporting(async () => {
      const opened = world.open(old, O_WRONLY);
      opening.open(opened.catch((error: unknown) => error));
    });
    await world.rename('plain', 'plain', { toParent: volume });
    expect(await opening.opened).toMatchObject({ errno: 'ESTALE' });
    expect(await world.cat('plain', volume)).toBe('moved');
  });

  it('leaves what it replaces to who reads it meanwhile, and sends who writes it to the new one', async () => {
    await world.put('plain', 'moved');
    const old = (await world.child('plain', volume))!;
    const reading = new Gate<FileHandle>();
    const writing = new Gate<Promise<unknown>>();
    whileExporting(async () => {
      reading.open(await world.open(old, O_RDONLY));
      expect(await world.cat('plain', volume)).toBe('N');
      writing.open(world.open(old, O_WRONLY).catch((error: unknown) => error));
    }, 'before');
    await world.rename('plain', 'plain', { toParent: volume });
    expect(await writing.opened).toMatchObject({ errno: 'ESTALE' });
    expect(await world.cat('plain', volume)).toBe('moved');
    await world.close(await reading.opened);
  });

  it('replaces one that is only here, for its name', async () => {
    await world.put(TEMPORARY, 'here', volume);
    await world.put('f', 'moved');
    await world.rename('f', TEMPORARY, { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ [TEMPORARY]: 'moved' });
    expect(await world.cat(TEMPORARY, volume)).toBe('moved');
  });

  it('in a folder does not get below one in which an object is being written: EBUSY', async () => {
    const run = await child<VolumeDirectoryNode>('run', volume);
    await world.put('one', 'moved', await folder('run'));
    const { handle } = await world.create('one', { parent: run });
    await world.write(handle, 'written');
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    await world.close(handle);
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': 'written' });
    expect(await world.onPlatform(await child('run'))).toEqual({ one: 'moved' });
  });
});

describe('with --after-export=remove', () => {
  beforeEach(() => start({ afterExport: 'remove' }));

  it('the folder stays while a file is open that was begun in it meanwhile, and goes when asked again', async () => {
    const run = await folder('run');
    await world.put('one', '1', run);
    const finish = beginsMeanwhile(run);
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1' });
    await finish();
    expect(await world.onPlatform(await child('run'))).toMatchObject({ new: 'text' });
    await world.rename('run', 'run', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1', 'run/new': 'text' });
    expect(await world.child('run')).toBeUndefined();
  });

  it('so it does when the file is begun while its others are being deleted', async () => {
    const run = await folder('run');
    await world.put('one', '1', run);
    const { jobs } = world.tree;
    const remove = jobs.delete.bind(jobs);
    let finish = async (): Promise<void> => {};
    vi.spyOn(jobs, 'delete').mockImplementationOnce(async (...given) => {
      await remove(...given);
      const { handle } = await world.create('new', { parent: run });
      await world.write(handle, 'text');
      finish = () => world.close(handle);
    });
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    await finish();
    expect(await world.onPlatform(await child('run'))).toEqual({ new: 'text' });
  });

  it.each([
    ['opened to be written', overwrite],
    ['cut', cut],
  ])(
    'a file that is %s while it is exported is looked up again, and nothing written is lost',
    async (_, change) => {
      const changing = triedWhileExporting(await world.put('f', 'moved'), change);
      expect(await changing).toMatchObject({ errno: 'ESTALE' });
      expect(await world.child('f')).toBeUndefined();
      expect(await world.onVolume(volume)).toMatchObject({ f: 'moved' });
    },
  );

  it('so it is though someone reads it', async () => {
    const node = await world.put('f', 'moved');
    const reader = await world.open(node, O_RDONLY);
    expect(await triedWhileExporting(node, overwrite)).toMatchObject({ errno: 'ESTALE' });
    expect(await world.read(reader)).toBe('moved');
    await world.close(reader);
    expect(await world.onPlatform()).toEqual({});
  });

  it('the bytes of a file that is opened meanwhile stay for who reads it', async () => {
    const run = await folder('run');
    const one = await world.put('one', '1', run);
    const opened = new Gate<FileHandle>();
    whileExporting(async () => opened.open(await world.open(one, O_RDONLY)));
    await expect(world.rename('run', 'run', { toParent: volume })).rejects.toMatchObject({ errno: 'EBUSY' });
    const reader = await opened.opened;
    expect(await world.read(reader)).toBe('1');
    await world.close(reader);
  });
});
