import { expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../../../../../src/api/errors.ts';
import {
  folderIdOf,
  type ProjectFileNode,
  type ProjectFolderNode,
} from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

/** Facts are no longer fresh then, and still count. */
const A_WHILE_MS = 6_000;

it('a file that was closed, moved by another client, and is written on and renamed over one that somebody reads leaves that its name when it cannot be published', async () => {
  const refusal = new ApiError(
    { status: 403, code: 8001, message: 'refused' },
    { call: 'POST /upload/inline' },
  );
  let isRefused = false;
  const clock = new FakeClock();
  const world = await ChangingWorld.start({
    clock,
    api: (api) => {
      const inline: typeof api.uploads.inline = (...args) =>
        isRefused ? Promise.reject(refusal) : api.uploads.inline(...args);
      return withMethods(api, { uploads: withMethods(api.uploads, { inline }) });
    },
  });
  onTestFinished(() => world.end());
  const place = { parent: world.folder, name: 'archive' };
  const archive = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
  const reader = await world.open(await world.put('doc', 'old'), O_RDONLY);
  const { node, handle } = await world.create('a');
  await world.write(handle, 'one');
  await world.side.openFiles.flush(handle, world.by());
  const { record } = node as ProjectFileNode;
  await world.user.post(`/files/${record?.id}/actions/move`, { parent: folderIdOf(archive), name: 'a' });
  await clock.advance(A_WHILE_MS);
  await world.write(handle, 'two');
  await world.rename('a', 'doc');
  isRefused = true;
  await expect(world.close(handle)).rejects.toBe(refusal);
  await world.side.idle(world.by().signal);
  expect(await world.read(reader)).toBe('old');
  await world.close(reader);
  expect(await world.onPlatform()).toEqual({ archive: '/', doc: 'old' });
});
