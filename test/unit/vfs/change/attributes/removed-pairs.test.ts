/** `setfattr -x` of a file that is on its way to the platform, with the pair or about to get it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import type { ProjectFileNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  withMethods,
} from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

let world: ChangingWorld;
let metadata: FileMetadata;
/** The answer of an upload in one call, or of a change of a file, waits for this, once it is there. */
let answering: Gate | undefined;
let made: Gate;
const signal = new AbortController().signal;

/** Changes are made at once, and not answered yet. */
function slowToAnswer(api: Api): Api {
  const { uploads, files } = api;
  const slow =
    <A extends unknown[], F>(call: (...args: A) => Promise<F>) =>
    async (...args: A): Promise<F> => {
      const file = await call(...args);
      made.open();
      await answering?.opened;
      return file;
    };
  const inline: typeof uploads.inline = slow((...args) => uploads.inline(...args));
  const edit: typeof files.edit = slow((...args) => files.edit(...args));
  const copy: typeof files.copy = slow((...args) => files.copy(...args));
  return withMethods(api, {
    uploads: withMethods(uploads, { inline }),
    files: withMethods(files, { edit, copy }),
  });
}

afterEach(() => world.end());

async function start(): Promise<void> {
  answering = undefined;
  made = new Gate();
  world = await ChangingWorld.start({ api: slowToAnswer });
  metadata = new FileMetadata(world.tree);
}

async function pairsOnPlatform(node: ProjectFileNode): Promise<object> {
  const record = await world.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? record.metadata : {};
}

type Remove = (node: ProjectFileNode) => Promise<void>;
const removeOne: Remove = (node) => metadata.removePair(node, 'removed', signal);
const removeAll: Remove = (node) => metadata.replaceAll(node, {}, signal);

/** Removes while the file is closed, and its upload is done and not answered. */
async function removedWhileClosed(
  { node, handle }: Awaited<ReturnType<ChangingWorld['create']>>,
  remove: Remove,
): Promise<ProjectFileNode> {
  made = new Gate();
  answering = new Gate();
  const closed = world.close(handle);
  await made.opened;
  await remove(node);
  answering.open();
  await closed;
  return node;
}

describe.each([
  ['one of them', removeOne, { kept: '1' }],
  ['all of them', removeAll, {}],
] as const)('pairs that are removed while the file is closed: %s', (_, remove, left) => {
  it('stay removed from a new file', async () => {
    await start();
    const file = await world.create('f');
    await world.write(file.handle, 'text');
    await metadata.merge(file.node, { kept: '1', removed: '1' }, signal);
    const node = await removedWhileClosed(file, remove);
    expect(await pairsOnPlatform(node)).toEqual(left);
    expect(metadata.pairs(node)).toEqual(left);
  });

  it('stay removed from a copy that the platform makes', async () => {
    await start();
    const source = await world.open(await world.put('source', 'text'), O_RDONLY);
    const copy = await world.create('copy');
    await metadata.merge(copy.node, { kept: '1', removed: '1' }, signal);
    await world.side.openFiles.copyFileRange(
      { handle: source, offset: 0 },
      { handle: copy.handle, offset: 0 },
      { length: 4, context: world.by() },
    );
    const node = await removedWhileClosed(copy, remove);
    expect(await pairsOnPlatform(node)).toEqual(left);
    expect(metadata.pairs(node)).toEqual(left);
    await world.close(source);
  });

  it.each([
    ['as large', 'TEXT'],
    ['larger', 'more text'],
  ])('stay removed from one that is written anew: %s', async (_, text) => {
    await start();
    const node = await world.put('f', 'text');
    await metadata.merge(node, { kept: '1', removed: '1' }, signal);
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, text);
    await removedWhileClosed({ node, handle }, remove);
    expect(await pairsOnPlatform(node)).toEqual(left);
    expect(metadata.pairs(node)).toEqual(left);
    expect(await world.onPlatform()).toEqual({ f: text });
  });
});

it('a pair that is removed when its file is there, and the close does not know it yet, stays removed', async () => {
  await start();
  const node = await world.put('f', 'text');
  await metadata.merge(node, { kept: '1', removed: '1' }, signal);
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'more text');
  const [isThere, goingOn] = [new Gate(), new Gate()];
  const draft = node.draft!;
  const publish: typeof draft.publish = async (...args) => {
    const file = await draft.publish(...args);
    isThere.open();
    await goingOn.opened;
    return file;
  };
  node.draft = withMethods(draft, { publish });
  const closed = world.close(handle);
  await isThere.opened;
  await removeOne(node);
  goingOn.open();
  await closed;
  expect(await pairsOnPlatform(node)).toEqual({ kept: '1' });
  expect(metadata.pairs(node)).toEqual({ kept: '1' });
});
