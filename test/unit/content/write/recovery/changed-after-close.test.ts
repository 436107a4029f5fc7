/** Drafts that a close acknowledged, that are not uploaded yet, and that are being changed when the mount is killed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Draft, Recovery } from '../../../../../src/content/ports.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { waitingUploads } from '../../../../../src/content/write/recovery/waiting-uploads.ts';
import { deferred } from '../../../../../src/lib/deferred.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import {
  afterKill,
  BECAUSE,
  forever,
  live,
  newDraft,
  onlyRecovery,
  owed,
  platform,
  stuck,
  syncedDraft,
  useRecoveryWorld,
  writerIn,
} from '../recovery-world.ts';

useRecoveryWorld();

const LARGE = 20_000;
const SIZES = [
  ['small', 50],
  ['large', LARGE],
] as const;

const published = (): string | undefined => platform.named('folder', 'new.bam')?.bytes.toString();
const bytes = patterned(LARGE);

let oldId: string;
beforeEach(() => {
  oldId = platform.addFile(Buffer.from('old'), { parent: 'folder', name: 'new.bam' }).id;
});

async function closed(sizeBytes: number, writer = writerIn(live())): Promise<Draft> {
  const draft = await newDraft(writer, oldId);
  await draft.write(0, bytes.subarray(0, sizeBytes), forever);
  await draft.commit(forever);
  return draft;
}

async function bytesKept(outcome: Recovery['outcome'] | undefined): Promise<Buffer> {
  if (outcome?.kind !== 'kept') throw new Error(`it was not kept: ${outcome?.kind}`);
  expect(outcome.reason).toContain('still being written');
  return readFile(outcome.path);
}

describe('a file that was closed, and in whose place', () => {
  it.each(SIZES)(
    'something is written is kept aside, half old and half new, and replaces nothing: %s',
    async (_, sizeBytes) => {
      const draft = await closed(sizeBytes);
      await draft.write(10, Buffer.from('half'), forever);
      await draft.sync(forever);
      const half = Buffer.from(bytes.subarray(0, sizeBytes));
      half.write('half', 10);
      expect(await bytesKept(await onlyRecovery(await afterKill()))).toEqual(half);
      expect(published()).toBe('old');
      await draft.commit(forever);
      await owed(await onlyRecovery(await afterKill('closed'))).finish();
      expect(published()).toBe(half.toString());
    },
  );

  it('something is written is known not to be that file any more before a byte of it is another', async () => {
    const draft = await closed(LARGE);
    const durable = vi.spyOn(Journal.prototype, 'durable');
    onTestFinished(() => durable.mockRestore());
    const gate = deferred();
    durable.mockReturnValue(gate.promise);
    const writing = draft.write(10, Buffer.from('half'), forever);
    await waitUntil(() => durable.mock.calls.length > 0);
    const spool = (await readdir(live())).find((name) => name.endsWith('.spool')) ?? '';
    expect(await readFile(join(live(), spool))).toEqual(bytes);
    gate.resolve();
    await writing;
    durable.mockRestore();
    const half = await bytesKept(await onlyRecovery(await afterKill()));
    expect(half.subarray(10, 14).toString()).toBe('half');
    expect(published()).toBe('old');
  });

  it.each(SIZES)('less is left by a truncation is kept aside: %s', async (_, sizeBytes) => {
    const draft = await closed(sizeBytes);
    await draft.truncate(20, forever);
    await draft.sync(forever);
    expect(await bytesKept(await onlyRecovery(await afterKill()))).toEqual(bytes.subarray(0, 20));
    expect(published()).toBe('old');
  });

  it('something is copied is kept aside', async () => {
    const source = platform.addFile(patterned(100, 3), { parent: 'folder', name: 'source' });
    const draft = await closed(LARGE);
    const version = { kind: 'file', fileId: source.id, sizeBytes: 100 } as const;
    await draft.copyFrom(version, 0, { offset: 50, length: 100 }, forever);
    await draft.sync(forever);
    await bytesKept(await onlyRecovery(await afterKill()));
    expect(published()).toBe('old');
  });

  it('something is to be written while it is uploaded is uploaded all the same', async () => {
    const draft = await closed(LARGE);
    platform.on = (call) => (call === 'complete' ? stuck() : undefined);
    draft.publish(forever).catch(() => {});
    await waitUntil(() => platform.calls.includes('complete'));
    draft.write(10, Buffer.from('half'), forever).catch(() => {});
    await draft.sync(forever);
    const killed = await afterKill();
    platform.on = () => {};
    await owed(await onlyRecovery(killed)).finish();
    expect(published()).toBe(bytes.toString());
  });

  it('something was being written as the close came is owed as the close had it', async () => {
    const writer = writerIn(live());
    const draft = await newDraft(writer, oldId);
    platform.on = (call) => (call === 'complete' ? stuck() : undefined);
    const writing = draft.write(0, bytes, forever);
    draft.publish(forever).catch(() => {});
    await writing;
    await waitUntil(() => platform.calls.includes('complete'));
    await syncedDraft(writer, 'another');
    const killed = await afterKill();
    platform.on = () => {};
    await owed((await writerIn(killed).recover())[0]?.outcome).finish();
    expect(published()).toBe(bytes.toString());
  });
});

describe('a file that was closed, and to whose end something is written,', () => {
  it.each(SIZES)(
    'is uploaded as it was closed, and kept aside as it was synced: %s',
    async (_, sizeBytes) => {
      const draft = await closed(sizeBytes);
      await draft.write(sizeBytes, Buffer.from('half'), forever);
      await draft.sync(forever);
      const path = await afterKill();
      expect(await waitingUploads(path, forever)).toEqual({ files: 1, sizeBytes });
      const [kept, upload, ...others] = await writerIn(path, { bootId: 'later' }).recover();
      expect(others).toEqual([]);
      expect(await bytesKept(kept?.outcome)).toEqual(
        Buffer.concat([bytes.subarray(0, sizeBytes), Buffer.from('half')]),
      );
      const again = await afterKill('again', path);
      await owed(upload?.outcome).finish();
      expect(published()).toBe(bytes.subarray(0, sizeBytes).toString());
      await owed(await onlyRecovery(again, { bootId: 'last' })).finish();
    },
  );

  it.each(SIZES)(
    'is uploaded as it was closed although nothing of that was synced, and the power failed: %s',
    async (_, sizeBytes) => {
      const writer = writerIn(live());
      const draft = await closed(sizeBytes, writer);
      await draft.write(sizeBytes, Buffer.from('half'), forever);
      await draft.annotate({ metadata: { sample: 'a' }, tags: undefined });
      await syncedDraft(writer, 'another');
      const recoveries = await writerIn(await afterKill(), { bootId: 'later' }).recover();
      await owed(recoveries.find(({ outcome }) => outcome.kind === 'owed')?.outcome).finish();
      expect(published()).toBe(bytes.subarray(0, sizeBytes).toString());
    },
  );

  it('is uploaded anew: the store may have parts of more, that no journal tells of', async () => {
    const draft = await closed(LARGE);
    platform.on = (call) => (call === 'complete' ? stuck() : undefined);
    draft.publish(forever).catch(() => {});
    await waitUntil(() => platform.calls.includes('complete'));
    await draft.write(LARGE, Buffer.from('half'), forever);
    const path = await afterKill();
    platform.on = () => {};
    const [upload] = platform.uploads.values();
    upload?.parts.set(LARGE / 100 + 1, Buffer.from('half'));
    await owed((await writerIn(path).recover()).at(-1)?.outcome).finish();
    expect(published()).toBe(bytes.toString());
    await waitUntil(() => platform.uploads.size === 0);
  });

  it('is kept aside whole when it is refused', async () => {
    const draft = await closed(LARGE);
    await draft.write(LARGE, Buffer.from('half'), forever);
    await draft.sync(forever);
    const path = await afterKill();
    const [, upload] = await writerIn(path).recover();
    const kept = await owed(upload?.outcome).keep(BECAUSE);
    expect(await readFile(kept?.path ?? '')).toEqual(bytes);
    expect((await readdir(join(path, 'recovered'))).length).toBe(2);
  });

  it('is uploaded whole when it is closed again', async () => {
    const draft = await closed(LARGE);
    await draft.write(LARGE, Buffer.from('whole'), forever);
    await draft.commit(forever);
    await owed(await onlyRecovery(await afterKill(), { bootId: 'later' })).finish();
    expect(published()).toBe(`${bytes}whole`);
  });
});
