/** An open file steps aside when its name goes; of that the platform gives no answer. */
import { afterEach, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';

const lost = new TransportError('no answer', { call: 'POST /files/{id}/actions/move' });

let world: ChangingWorld;
afterEach(() => world.end());

/** No file can be asked for. */
let isAway: boolean;

/** The first move has no answer; `isDone`: it was carried out all the same. `andAway`: nothing more is answered. */
async function start(isDone: boolean, { andAway = false } = {}): Promise<void> {
  let isFirst = true;
  isAway = false;
  const api = (real: Api): Api => {
    const move: typeof real.files.move = async (...args) => {
      if (!isFirst) return real.files.move(...args);
      isFirst = false;
      isAway = andAway;
      if (isDone) await real.files.move(...args);
      throw lost;
    };
    const get: typeof real.files.get = (...args) =>
      isAway ? Promise.reject(new Error('away')) : real.files.get(...args);
    return withMethods(real, { files: withMethods(real.files, { move, get }) });
  };
  world = await ChangingWorld.start({ api });
}

const remove = (name: string) =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by()) as Promise<void>;

it('was carried out: the file is removed, and read on by who has it open', async () => {
  await start(true);
  const handle = await world.open(await world.put('f', 'text'), O_RDONLY);
  await remove('f');
  expect(await world.child('f')).toBeUndefined();
  expect(await world.read(handle)).toBe('text');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({});
  expect(await world.asides()).toEqual([]);
});

it('was not: the removal fails, and leaves nothing for the next mount to do', async () => {
  await start(false);
  const handle = await world.open(await world.put('f', 'text'), O_RDONLY);
  await expect(remove('f')).rejects.toBe(lost);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ f: 'text' });
  expect(await world.asides()).toEqual([]);
});

it('was carried out, and nobody can be asked: the next mount brings it back', async () => {
  await start(true, { andAway: true });
  const handle = await world.open(await world.put('f', 'text'), O_RDONLY);
  await expect(remove('f')).rejects.toBe(lost);
  isAway = false;
  await world.close(handle);
  expect(await world.onPlatform()).not.toHaveProperty('f');
  await world.side.recover();
  expect(await world.onPlatform()).toEqual({ f: 'text' });
});
