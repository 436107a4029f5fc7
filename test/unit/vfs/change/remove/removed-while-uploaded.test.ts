/** A file is removed while its parts are on their way: nobody wants them any more, and nobody waits for them. */
import { afterEach, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { ApiError } from '../../../../../src/api/errors.ts';
import { ChangingWorld, type WorldOptions, withMethods } from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const refusal = new ApiError(
  { status: 403, code: 5002, message: 'no' },
  { call: 'POST /files/{id}/actions/move' },
);

let world: ChangingWorld;
/** No part gets its address before it is opened. */
let sending: Gate;
/** Parts that wait for it. */
let waiting: number;
let aborted: number;
let refused: boolean;
afterEach(() => {
  sending.open();
  return world.end();
});

function held(api: Api): Api {
  const { uploads, files } = api;
  const partUrl: typeof uploads.partUrl = async (...args) => {
    waiting += 1;
    await sending.opened;
    return uploads.partUrl(...args);
  };
  const abort: typeof uploads.abort = async (...args) => {
    aborted += 1;
    return uploads.abort(...args);
  };
  // By which the file steps aside for its handles.
  const move: typeof files.move = async (...args) => {
    if (refused) throw refusal;
    return files.move(...args);
  };
  return withMethods(api, {
    uploads: withMethods(uploads, { partUrl, abort }),
    files: withMethods(files, { move }),
  });
}

async function start(options: WorldOptions = {}): Promise<void> {
  sending = new Gate();
  waiting = 0;
  aborted = 0;
  refused = false;
  world = await ChangingWorld.start({ capabilities: [], api: held, ...options });
}

const remove = (name: string) =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by()) as Promise<void>;

it('is gone at once, and its close has nothing to tell', async () => {
  await start();
  const closing = world.put('f', 'bytes');
  await waitUntil(() => waiting > 0);
  await remove('f');
  await closing;
  await waitUntil(() => aborted > 0);
  expect(await world.onPlatform()).toEqual({});
});

it('is gone at once, when its upload follows the close', async () => {
  await start({ options: { writeBack: true } });
  await world.put('f', 'bytes');
  await waitUntil(() => waiting > 0);
  await remove('f');
  await waitUntil(() => aborted > 0);
  expect(await world.side.flush('/', world.by().signal)).toEqual([]);
  expect(await world.onPlatform()).toEqual({});
});

it('is uploaded all the same, when the platform does not let it go', async () => {
  await start();
  sending.open();
  await world.put('f', 'old');
  sending = new Gate();
  waiting = 0;
  const closing = world.put('f', 'new');
  await waitUntil(() => waiting > 0);
  refused = true;
  await expect(remove('f')).rejects.toMatchObject({ code: 5002 });
  sending.open();
  await closing;
  expect(await world.onPlatform()).toEqual({ f: 'new' });
  expect(aborted).toBe(0);
});
