/** A name is taken from a file that somebody reads, who closes it meanwhile, and the file that is left cannot be deleted. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
/** Called when the file is aside. */
let whenAside: () => Promise<void>;

beforeEach(async () => {
  world = await ChangingWorld.start({ api: withoutDeletion });
});
afterEach(() => world.end());

function withoutDeletion(api: Api): Api {
  const move: Api['files']['move'] = async (...args) => {
    const moved = await api.files.move(...args);
    await whenAside();
    return moved;
  };
  const lost = async (): Promise<never> => {
    throw new TransportError('no answer', { call: 'DELETE /files/{id}' });
  };
  return withMethods(api, { files: withMethods(api.files, { move, delete: lost }) });
}

/** The reader of a file closes it when that is aside. */
async function readUntilAside(name: string): Promise<void> {
  const reader = await world.open(await world.put(name, 'old'), O_RDONLY);
  whenAside = () => world.side.openFiles.release(reader) as Promise<void>;
}

const shown = async (): Promise<Record<string, string>> => {
  const all = await world.onPlatform();
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('.svcfs-aside')));
};

it('a rename over it is done all the same', async () => {
  await world.put('new', 'new');
  await readUntilAside('f');
  await world.rename('new', 'f');
  expect(await world.cat('f')).toBe('new');
  expect(await world.child('new')).toBeUndefined();
  expect(await shown()).toEqual({ f: 'new' });
  expect(world.tree.errors.lastAt('/one/f')?.text).toContain('no answer');
  expect(await world.asides()).toHaveLength(1);
});

it('its removal is done all the same', async () => {
  await readUntilAside('f');
  await world.side.mutations.unlink({ parent: world.folder, name: 'f' }, world.by());
  expect(await world.child('f')).toBeUndefined();
  expect(await shown()).toEqual({});
  expect(await world.asides()).toHaveLength(1);
});
