/** A file larger than --spool-size, of which an upload under its name has the first bytes, cannot get another name. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import type { ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';

const MIB = 1024 * 1024;

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start({ spoolSizeBytes: 20 * MIB });
});
afterEach(() => world.end());

/** Its writer goes on. */
async function writtenBeyondSpool(parent = world.folder): Promise<FileHandle> {
  const { handle } = await world.create('large', { parent });
  const piece = 'x'.repeat(4 * MIB);
  for (let offset = 0; offset < 48 * MIB; offset += piece.length) await world.write(handle, piece, offset);
  return handle;
}

async function folder(name: string): Promise<ProjectFolderNode> {
  const place = { parent: world.folder, name };
  return (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
}

it('over another: that is refused, both files stay, and its close publishes it under its own name', async () => {
  await world.put('other', 'old');
  const handle = await writtenBeyondSpool();
  const refused = await world.rename('large', 'other').catch((error: unknown) => error);
  expect(errnoOf(refused)).toBe('EIO');
  expect(refused).toMatchObject({
    message: expect.stringMatching(/large is larger than the spool .*\(raise --spool-size\)$/),
  });
  expect(await world.cat('other')).toBe('old');
  await world.write(handle, 'end', 48 * MIB);
  await world.close(handle);
  const there = await world.onPlatform();
  expect(there['other']).toBe('old');
  expect(there['large']).toHaveLength(48 * MIB + 3);
});

it('its folder cannot either: that is refused, and what has the name stays', async () => {
  const outer = await folder('outer');
  const empty = await folder('empty');
  const handle = await writtenBeyondSpool(outer);
  expect(await world.rename('outer', 'empty').catch(errnoOf)).toBe('EIO');
  expect(await world.child('outer')).toBe(outer);
  expect(await world.child('empty')).toBe(empty);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ outer: '/', empty: '/' });
  expect((await world.onPlatform(outer))['large']).toHaveLength(48 * MIB);
});
