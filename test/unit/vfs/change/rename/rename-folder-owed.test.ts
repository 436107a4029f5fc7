/** With --write-back a folder is moved by a job while files in it, which were closed, are not on the platform yet. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProjectFolderNode, VolumeDirectoryNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
let run: ProjectFolderNode;

beforeEach(async () => {
  world = await ChangingWorld.start({ options: { writeBack: true } });
  volume = await world.volume('bucket');
  run = await folder('run', world.folder);
  await world.put('one', '1', run);
  await world.put('two', '2', await folder('deep', run));
});
afterEach(() => world.end());

async function folder(name: string, parent: ProjectFolderNode): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

it('has them uploaded first when it goes to another project', async () => {
  await world.rename('run', 'run', { toParent: world.otherProject });
  const moved = (await world.child('run', world.otherProject)) as ProjectFolderNode;
  expect(await world.onPlatform(moved)).toEqual({ one: '1', deep: '/' });
  expect(await world.cat('two', (await world.child('deep', moved)) as ProjectFolderNode)).toBe('2');
});

it('has them uploaded first when it goes to a volume', async () => {
  await world.rename('run', 'run', { toParent: volume });
  expect(await world.onVolume(volume)).toMatchObject({ 'run/one': '1', 'run/deep/two': '2' });
});

it('stays where it is when one cannot be uploaded, and that is told', async () => {
  vi.spyOn(world.tree.api.uploads, 'inline').mockRejectedValue(new Error('the service is away'));
  await world.put('three', '3', run);
  await expect(world.rename('run', 'run', { toParent: volume })).rejects.toThrow('the service is away');
  vi.restoreAllMocks();
  await world.rename('run', 'run', { toParent: volume });
  expect(await world.onVolume(volume)).toMatchObject({ 'run/three': '3' });
});

it.each([
  ['another project', () => world.otherProject],
  ['a volume', () => volume],
])(
  'waits for those whose close has returned, though the kernel has not said so yet, when it goes to %s',
  async (_, to) => {
    const { handle } = await world.create('late', { parent: run });
    await world.write(handle, 'closed');
    await world.side.openFiles.flush(handle, world.by());
    const moved = world.rename('run', 'run', { toParent: to() });
    await new Promise((resolve) => setImmediate(resolve));
    await world.side.openFiles.release(handle);
    await moved;
    const there = (await world.child('run', to())) as ProjectFolderNode;
    expect(await world.cat('late', there)).toBe('closed');
  },
);

it('waits for those that are closed while others are uploaded', async () => {
  const { inline } = world.tree.api.uploads;
  const closes = async (): Promise<void> => {
    vi.restoreAllMocks();
    await world.put('meanwhile', 'closed', run);
  };
  vi.spyOn(world.tree.api.uploads, 'inline').mockImplementationOnce(async (...given) => {
    await closes();
    return inline(...given);
  });
  await world.put('three', '3', run);
  await world.rename('run', 'run', { toParent: volume });
  expect(await world.onVolume(volume)).toMatchObject({ 'run/meanwhile': 'closed', 'run/three': '3' });
});

it('stays where it is while one is open to be written, which is named: EBUSY', async () => {
  const { handle } = await world.create('open', { parent: run });
  await world.write(handle, 'half');
  await expect(world.rename('run', 'run', { toParent: world.otherProject })).rejects.toMatchObject({
    errno: 'EBUSY',
    message: 'open in run is open to be written: close it first',
  });
  await world.close(handle);
  await world.rename('run', 'run', { toParent: world.otherProject });
});

it('is moved while somebody reads a file in it that was open before it was uploaded', async () => {
  const { node, handle } = await world.create('read', { parent: run });
  await world.write(handle, 'text');
  const reader = await world.open(node, O_RDONLY);
  await world.close(handle);
  await world.rename('run', 'run', { toParent: world.otherProject });
  expect(await world.read(reader)).toBe('text');
  await world.close(reader);
  const moved = (await world.child('run', world.otherProject)) as ProjectFolderNode;
  expect(await world.cat('read', moved)).toBe('text');
});
