/** `--write-back` without a kernel: what was closed stays owed to the platform, whatever fails meanwhile. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import { Journal } from '../../../../src/content/write/journal/journal.ts';
import type { ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { HeldUploads } from '../../../support/held-uploads.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const LONGEST_PAUSE_MS = 60_000;

let world: ChangingWorld;

let clock: FakeClock;

let uploads: HeldUploads;

afterEach(() => world.end());

async function start({
  writeBack = true,
  ...limits
}: {
  readonly writeBack?: boolean;
  readonly spoolSizeBytes?: number;
} = {}): Promise<void> {
  clock = new FakeClock();
  uploads = new HeldUploads();
  const api = (real: Api): Api => uploads.over(real);
  world = await ChangingWorld.start({ clock, options: { writeBack }, api, ...limits });
}

/** As setfattr(1) has it set. */
function metadataOf(node: ProjectFileNode) {
  const metadata = new FileMetadata(world.tree);
  const { signal } = world.by();
  return {
    set: (key: string, value: string) => metadata.merge(node, { [key]: value }, signal),
    remove: (key: string) => metadata.removePair(node, key, signal),
    pairs: () => metadata.pairs(node),
  };
}

/** The uploads that the next mount would find, were this one killed and the machine with it. */
async function inJournal() {
  const client = join(world.service.dataDir, 'client');
  const copy = join(client, 'killed');
  await cp(join(client, 'up'), copy, { recursive: true });
  const journal = await Journal.open(copy);
  await journal.close();
  return journal.drafts;
}

describe('what is set on a file closed with --write-back', () => {
  it('is safe on this machine when that is told, and so is that it was removed', async () => {
    await start();
    uploads.held = true;
    const metadata = metadataOf(await world.put('f', 'text'));
    await uploads.nth(1);
    await metadata.set('sample', 's1');
    await metadata.set('lane', '4');
    await metadata.remove('lane');
    expect(await inJournal()).toMatchObject([
      { phase: 'publishing', annotations: { metadata: { sample: 's1' } } },
    ]);
    (await uploads.nth(1)).pass();
    await world.side.flush('/', world.by().signal);
    const { id = '' } = ((await world.child('f')) as ProjectFileNode).record ?? {};
    expect(await world.tree.api.files.get(id)).toMatchObject({ metadata: { sample: 's1' } });
    expect(metadata.pairs()).toEqual({ sample: 's1' });
    await waitUntil(async () => (await inJournal()).length === 0);
  });

  it.each(['is sent', 'failed'])(
    'is so too when it is its mode or its time, while its upload %s',
    async (how) => {
      await start();
      uploads.held = true;
      const node = await world.put('f', 'text');
      if (how === 'failed') {
        (await uploads.nth(1)).fail();
        await waitUntil(() => world.tree.errors.lastAt('/one/f') !== undefined);
      } else {
        await uploads.nth(1);
      }
      const changes = { handle: undefined, context: world.by() };
      await world.side.mutations.setattr(node, { mode: 0o100_755 }, changes);
      await world.side.mutations.setattr(node, { mtimeNs: 10n ** 18n }, changes);
      const metadata = { 'svcfs.mode': '755', 'svcfs.mtime': '1000000000.000000000' };
      expect(await inJournal()).toMatchObject([{ phase: 'publishing', annotations: { metadata } }]);
      uploads.held = false;
      for (const { pass } of uploads.begun) pass();
      await waitUntil(async () => {
        await clock.advance(LONGEST_PAUSE_MS);
        return (await inJournal()).length === 0;
      });
      expect(await world.tree.api.files.get(node.record?.id ?? '')).toMatchObject({ metadata });
    },
  );
});

describe('the md5_sum of a file closed with --write-back', () => {
  it('is not that of the content before', async () => {
    await start();
    const metadata = metadataOf(await world.put('f', 'one'));
    await world.side.flush('/', world.by().signal);
    await metadata.set('md5_sum', 'of one');
    await metadata.set('sample', 's1');
    uploads.held = true;
    const emptied = await world.open((await world.child('f'))!, O_WRONLY | O_TRUNC);
    expect(metadata.pairs()).toEqual({ sample: 's1' });
    await world.write(emptied, 'two');
    await world.close(emptied);
    expect(metadata.pairs()).toEqual({ sample: 's1' });
    await metadata.set('md5_sum', 'of two');
    expect(metadata.pairs()).toEqual({ sample: 's1', md5_sum: 'of two' });
    (await uploads.nth(1)).pass();
    await world.side.flush('/', world.by().signal);
    expect(metadata.pairs()).toEqual({ sample: 's1', md5_sum: 'of two' });
  });
});
