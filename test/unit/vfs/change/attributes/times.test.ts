/** Times that no pair of the platform keeps: this mount's own. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nanosecondsOf } from '../../../../../src/lib/nanoseconds.ts';
import type { AttributeChanges } from '../../../../../src/vfs/file-system.ts';
import type { Node, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { RecordedKernel } from '../../../../support/reading-world.ts';

let world: ChangingWorld;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  world = await ChangingWorld.start({ clock });
});
afterEach(() => world.end());

async function set(node: Node, changes: AttributeChanges): Promise<void> {
  await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
}

const timesOf = (node: Node) => world.tree.attributesOf(node).attributes;

it('a time of access is shown as it was set, for no request, and stays when the file is written', async () => {
  const node = await world.put('f', 'text');
  world.service.services.stats.reset();
  await set(node, { atimeNs: 7n });
  expect(world.service.services.stats.apiRequests).toBe(0);
  expect(timesOf(node)).toMatchObject({ atimeNs: 7n });
  await world.put('f', 'more text');
  expect(timesOf(node)).toMatchObject({ atimeNs: 7n });
});

it.each([
  ['its mode is set', (node: Node) => set(node, { mode: 0o600 })],
  ['a time is set', (node: Node) => set(node, { mtimeNs: 7n })],
  ['it gets another name', () => world.rename('f', 'g')],
])('the time of change moves when %s', async (_, change) => {
  const node = await world.put('f', 'text');
  const before = timesOf(node).ctimeNs;
  await clock.advance(10);
  await change(node);
  expect(timesOf(node).ctimeNs).toBeGreaterThan(before);
});

it.each([
  ['a folder', () => world.side.mutations.mkdir({ parent: world.folder, name: 'new' }, 0o755, world.by())],
  ['a link', () => world.side.mutations.symlink({ parent: world.folder, name: 'new' }, 'f', world.by())],
  [
    'a folder of a volume',
    async () => {
      const parent = await world.volume('bucket', {});
      return world.side.mutations.mkdir({ parent, name: 'new' }, 0o755, world.by());
    },
  ],
])('%s shows the millisecond that it was made in, though the platform counts seconds', async (_, make) => {
  await clock.advance(1234);
  const { mtimeNs, ctimeNs } = timesOf(await make());
  expect(mtimeNs).toBe(nanosecondsOf(clock.now()));
  expect(ctimeNs).toBeGreaterThanOrEqual(mtimeNs);
});

describe('the time of a folder', () => {
  const mkdir = (name: string) =>
    world.side.mutations.mkdir({ parent: world.folder, name }, 0o755, world.by());
  const foldersApi = () => world.tree.api.files;
  const rootId = () => folderIdOf(world.folder);

  async function list(): Promise<void> {
    await world.tree.childrenOf(world.folder, world.by().signal);
  }

  it.each([
    ['a file is made', () => world.create('new')],
    ['a folder is made', () => mkdir('new')],
    [
      'a link is made',
      () => world.side.mutations.symlink({ parent: world.folder, name: 'new' }, 'f', world.by()),
    ],
    ['a file is removed', () => world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by())],
    [
      'a folder is removed',
      () => world.side.mutations.rmdir({ parent: world.folder, name: 'd' }, world.by()),
    ],
    ['a file gets another name', () => world.rename('f', 'g')],
    ['a file replaces another', () => world.rename('f', 'f2')],
    [
      'a file goes to another folder',
      async () => world.rename('f', 'f', { toParent: (await world.child('d')) as ProjectFolderNode }),
    ],
  ])('changes when %s here, though a program has set it', async (_, change) => {
    await world.put('f', 'text');
    await world.put('f2', 'text');
    await mkdir('d');
    await set(world.folder, { mtimeNs: 7n });
    expect(timesOf(world.folder).mtimeNs).toBe(7n);
    await change();
    const { mtimeNs, ctimeNs } = timesOf(world.folder);
    expect(mtimeNs).toBeGreaterThan(7n);
    expect(ctimeNs).toBeGreaterThan(7n);
  });

  it('changes for both when an entry goes from one to the other', async () => {
    await world.put('f', 'text');
    const folder = (await mkdir('d')) as ProjectFolderNode;
    const before = [timesOf(world.folder).mtimeNs, timesOf(folder).mtimeNs];
    await clock.advance(10);
    await world.rename('f', 'f', { toParent: folder });
    expect(timesOf(world.folder).mtimeNs).not.toBe(before[0]);
    expect(timesOf(folder).mtimeNs).not.toBe(before[1]);
  });

  it('is another after each of two changes at the same moment', async () => {
    await world.create('a');
    const { mtimeNs } = timesOf(world.folder);
    await world.create('b');
    expect(timesOf(world.folder).mtimeNs).toBeGreaterThan(mtimeNs);
  });

  it('stays when a file in it is written or its attributes are set', async () => {
    const node = await world.put('f', 'text');
    const { mtimeNs } = timesOf(world.folder);
    await clock.advance(10);
    await world.put('f', 'more text');
    await set(node, { mode: 0o600 });
    expect(timesOf(world.folder).mtimeNs).toBe(mtimeNs);
  });

  it.each([
    ['made', () => foldersApi().createFolder({ parent: rootId(), name: 'new' })],
    ['removed', (id: string) => foldersApi().delete(id)],
    ['renamed', (id: string) => foldersApi().edit(id, { name: 'g' })],
  ])(
    'changes when a listing shows that another client has %s an entry, and the kernel asks for it',
    async (_, change) => {
      const kernel = new RecordedKernel();
      world.tree.kernel.attach(kernel);
      world.folder.lookups = 1;
      const { record } = await world.put('f', 'text');
      await list();
      const { mtimeNs } = timesOf(world.folder);
      await change(record!.id);
      await clock.advance(world.tree.options.metadataTtlMs + 1);
      await list();
      expect(timesOf(world.folder).mtimeNs).toBeGreaterThan(mtimeNs);
      expect(kernel.nodes).toContain(world.folder.id);
    },
  );

  it('stays when a listing shows no change', async () => {
    await world.put('f', 'text');
    await list();
    const { mtimeNs } = timesOf(world.folder);
    await clock.advance(world.tree.options.metadataTtlMs + 1);
    await list();
    expect(timesOf(world.folder).mtimeNs).toBe(mtimeNs);
  });

  it('is not that of before in the next mount when it was set and something was made since', async () => {
    const folder = (await mkdir('d')) as ProjectFolderNode;
    await set(folder, { mtimeNs: 7n });
    expect(world.tree.folderState.get(folderIdOf(folder))).toEqual({ mtimeNs: 7n });
    await world.create('f', { parent: folder });
    expect(world.tree.folderState.get(folderIdOf(folder))).toEqual({});
  });
});
