/** A change that was made, and of which no answer tells: what has the names is looked up anew. */
import { afterEach, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { TransportError } from '../../../../src/api/errors.ts';
import { ChangingWorld, withMethods } from '../../../support/changing-world.ts';

const lost = new TransportError('no answer', { call: 'POST /files' });

let world: ChangingWorld;
let isLost: boolean;
afterEach(() => world.end());

function unanswered(api: Api): Api {
  const answered = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      const answer = await call(...args);
      if (isLost) throw lost;
      return answer;
    };
  };
  const { files } = api;
  return withMethods(api, {
    files: withMethods(files, {
      createFolder: answered(files.createFolder.bind(files)),
      edit: answered(files.edit.bind(files)),
      delete: answered(files.delete.bind(files)),
    }),
  });
}

async function start(): Promise<void> {
  isLost = false;
  world = await ChangingWorld.start({ api: unanswered });
  // All names are known, and count for a minute.
  await world.put('f', 'text');
  await world.child('f');
  isLost = true;
}

it('of mkdir', async () => {
  await start();
  expect(await world.child('d')).toBeUndefined();
  const making = world.side.mutations.mkdir({ parent: world.folder, name: 'd' }, 0o755, world.by());
  await expect(making).rejects.toBe(lost);
  expect(await world.child('d')).toMatchObject({ name: 'd' });
});

it('of rm', async () => {
  await start();
  const removing = world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
  await expect(removing).rejects.toBe(lost);
  expect(await world.child('f')).toBeUndefined();
});

it('of mv', async () => {
  await start();
  await expect(world.rename('f', 'g')).rejects.toBe(lost);
  expect(await world.child('g')).toMatchObject({ name: 'g' });
  expect(await world.child('f')).toBeUndefined();
});
