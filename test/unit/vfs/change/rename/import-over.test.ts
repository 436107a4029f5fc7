/** A file of a project that a move from a volume replaces: the platform deletes it, whoever has it open. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ProjectFileNode, VolumeDirectoryNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_RDONLY, O_WRONLY, type WorldOptions } from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
afterEach(() => world.end());

async function start(options: WorldOptions['options'] = {}): Promise<void> {
  world = await ChangingWorld.start({ options });
  volume = await world.volume('bucket', { plain: 'N' });
}

const importOver = (name: string) => world.rename('plain', name, { parent: volume, toParent: world.folder });

describe('a file that an import replaces', () => {
  it.each([
    ['write', O_WRONLY],
    ['read', O_RDONLY],
  ])('is not there any more for who opens it to %s it during the job: the alias is', async (_, flags) => {
    await start();
    const old = await world.put('f', 'old');
    const { transfers } = world.tree.api;
    const startImports = transfers.startImports.bind(transfers);
    const opening = new Gate<Promise<unknown>>();
    vi.spyOn(transfers, 'startImports').mockImplementationOnce(async (...given) => {
      opening.open(world.open(old, flags).catch((error: unknown) => error));
      return startImports(...given);
    });
    await importOver('f');
    expect(await opening.opened).toMatchObject({ errno: 'ESTALE' });
    expect(await world.cat('f')).toBe('N');
  });

  it('need not be on the platform, with --write-back: its upload is given up', async () => {
    await start({ writeBack: true });
    const inline = vi.spyOn(world.tree.api.uploads, 'inline');
    inline.mockRejectedValue(new Error('the service is away'));
    await world.put('f', 'old');
    await waitUntil(() => world.tree.errors.lastAt('/one/f'));
    inline.mockRestore();
    await importOver('f');
    expect(await world.side.idle(world.by().signal)).toEqual({ waiting: [], refused: [] });
    expect(await world.cat('f')).toBe('N');
    expect(await world.onPlatform()).toEqual({ f: 'N' });
  });

  it('stays while somebody reads what it was renamed over, and is not uploaded yet', async () => {
    await start({ writeBack: true });
    const reader = await world.open(await world.put('f', 'old'), O_RDONLY);
    await world.side.idle(world.by().signal);
    const inline = vi.spyOn(world.tree.api.uploads, 'inline');
    inline.mockRejectedValue(new Error('the service is away'));
    const { handle } = await world.create('g');
    await world.write(handle, 'new');
    await world.rename('g', 'f');
    await world.close(handle);
    await expect(importOver('f')).rejects.toMatchObject({ errno: 'EBUSY' });
    expect(await world.read(reader)).toBe('old');
    await world.close(reader);
    inline.mockRestore();
    await importOver('f');
    expect(await world.cat('f')).toBe('N');
  });
});

describe('what an import makes in the place of a file', () => {
  const SET = { metadata: { sample: 's1' }, tags: ['raw'] };

  async function giveSet(node: ProjectFileNode): Promise<void> {
    const metadata = new FileMetadata(world.tree);
    await metadata.merge(node, SET.metadata, world.by().signal);
    await metadata.setTags(node, SET.tags, world.by().signal);
  }

  async function describedOnPlatform() {
    const { record } = (await world.child('f')) as ProjectFileNode;
    const now = await world.tree.api.files.get(record!.id);
    return now.kind === 'file' && { metadata: now.metadata, tags: now.tags };
  }

  it('has what was set on that and not sent yet', async () => {
    await start({ writeBack: true });
    const inline = vi.spyOn(world.tree.api.uploads, 'inline');
    inline.mockRejectedValue(new Error('the service is away'));
    await giveSet(await world.put('f', 'old'));
    await importOver('f');
    expect(await describedOnPlatform()).toEqual(SET);
  });

  it('is there though the service refuses it what was set on that, and has it after the next try', async () => {
    await start();
    await giveSet(await world.put('f', 'old'));
    vi.spyOn(world.tree.api.files, 'edit').mockRejectedValueOnce(new Error('the service is away'));
    await expect(importOver('f')).rejects.toThrow('f is imported, but lacks the attributes');
    expect(await world.cat('f')).toBe('N');
    expect(await describedOnPlatform()).toEqual({ metadata: {}, tags: [] });
    await importOver('f');
    expect(await describedOnPlatform()).toEqual(SET);
  });

  it('is what the kernel finds that is told to look again', async () => {
    await start();
    await giveSet(await world.put('f', 'old'));
    const kernel = vi.spyOn(world.tree.kernel, 'invalidateEntry');
    const shown: unknown[] = [];
    kernel.mockImplementation((parent, name) => {
      const known = parent === world.folder.id && name === 'f' ? world.folder.children.get(name) : undefined;
      if (known?.kind === 'present') shown.push((known.node as ProjectFileNode).record?.storage.kind);
    });
    await importOver('f');
    expect(shown).toEqual(['volume']);
  });
});
