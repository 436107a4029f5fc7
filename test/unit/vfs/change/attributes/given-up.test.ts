/** Modes and times whose programs give them up while the request waits for its turn. */
import { afterEach, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

let world: ChangingWorld;
afterEach(() => world.end());

/** Requests wait for the gate before they are sent. */
async function start(): Promise<{ readonly reached: Promise<void>; readonly turn: Gate }> {
  const [reached, turn] = [new Gate(), new Gate()];
  const api = ({ files }: Api): Partial<Api> => ({
    files: withMethods(files, {
      patchMetadata: async (...args) => {
        reached.open();
        await turn.opened;
        return files.patchMetadata(...args);
      },
    }),
  });
  world = await ChangingWorld.start({ api: (real) => withMethods(real, api(real)) });
  return { reached: reached.opened, turn };
}

it('are not sent, nor shown any more, when all have', async () => {
  const { reached, turn } = await start();
  const node = await world.put('f', 'text');
  const { mode } = world.tree.attributesOf(node).attributes;
  const sent = world.service.services.stats.apiRequests;
  const program = new AbortController();
  const how = { handle: undefined, context: world.by(1, program.signal) };
  const setting = world.side.mutations.setattr(node, { mode: 0o100600 }, how);
  const told = expect(setting).rejects.toMatchObject({ name: 'AbortError' });
  await reached;
  program.abort();
  await told;
  turn.open();
  await world.side.idle(world.by().signal);
  expect(world.tree.attributesOf(node).attributes.mode).toBe(mode);
  expect(world.service.services.stats.apiRequests).toBe(sent);
});

it('are sent when another program waits for the same request', async () => {
  const { reached, turn } = await start();
  const node = await world.put('f', 'text');
  const program = new AbortController();
  const by = (signal?: AbortSignal) => ({ handle: undefined, context: world.by(1, signal) });
  const leaving = world.side.mutations.setattr(node, { mode: 0o100600 }, by(program.signal));
  const staying = world.side.mutations.setattr(node, { mtimeNs: 1_000_000_000n }, by());
  const told = expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
  await reached;
  program.abort();
  await told;
  turn.open();
  await staying;
  const record = await world.tree.api.files.get(node.record?.id ?? '');
  expect(record).toMatchObject({ metadata: { 'svcfs.mtime': expect.any(String) } });
});
