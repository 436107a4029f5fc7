import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryPool } from '../../../../../src/content/memory/memory-pool.ts';
import type { Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { md5, patterned } from '../../fake-platform.ts';
import {
  bytesOf,
  directory,
  forever,
  KIB,
  MIB,
  newDraft,
  platform,
  published,
  target,
  writerOf,
} from '../draft-world.ts';

describe('the spool limit and a larger file that is changed in one place', () => {
  const limits = { spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB };
  let bytes: Buffer;

  async function changedDraft(writer = writerOf(limits), sizeBytes = 300 * KIB): Promise<Draft> {
    bytes = patterned(sizeBytes);
    const { id: fileId } = platform.addFile(Buffer.from(bytes), { parent: 'folder', name: target.name });
    const draft = await newDraft(writer, { kind: 'file', fileId, sizeBytes: bytes.length });
    await draft.write(150 * KIB, Buffer.from('x'), forever);
    bytes.write('x', 150 * KIB);
    return draft;
  }

  async function bytesOnDisk(): Promise<number> {
    const spools = (await readdir(directory.name)).filter((name) => name.endsWith('.spool'));
    const stats = await Promise.all(spools.map((name) => stat(join(directory.name, name))));
    return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
  }

  it('does not have all of it in the spool, and can be read when the old one is gone', async () => {
    const draft = await changedDraft();
    let mostOnDisk = 0;
    platform.on = async () => {
      mostOnDisk = Math.max(mostOnDisk, await bytesOnDisk());
    };
    await draft.publish(forever);
    expect(mostOnDisk).toBeLessThanOrEqual(limits.spoolSizeBytes);
    expect(published()?.equals(bytes)).toBe(true);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('is published with what was written and copied meanwhile', async () => {
    const { id: fileId } = platform.addFile(patterned(300 * KIB, 2));
    const draft = await changedDraft();
    const completing = new Gate();
    platform.on = (call) => (call === 'complete' ? completing.opened : undefined);
    const publication = draft.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    const version = { kind: 'file', fileId, sizeBytes: 300 * KIB } as const;
    const copied = draft.copyFrom(version, 10 * KIB, { offset: 10 * KIB, length: 50 * KIB }, forever);
    const written = draft.write(299 * KIB, Buffer.from('y'), forever);
    completing.open();
    await publication;
    expect(published()?.equals(bytes)).toBe(true);
    await Promise.all([copied, written]);
    patterned(300 * KIB, 2).copy(bytes, 10 * KIB, 10 * KIB, 60 * KIB);
    bytes.write('y', 299 * KIB);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('is published with what was taken away meanwhile, and put back', async () => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300 * KIB)).id } as const;
    const draft = await newDraft(writerOf(limits));
    const copy = (): Promise<void> =>
      draft.copyFrom({ ...source, sizeBytes: 300 * KIB }, 1, { offset: 0, length: 300 * KIB - 1 }, forever);
    await copy();
    const completing = new Gate();
    platform.on = (call) => (call === 'complete' ? completing.opened : undefined);
    const publication = draft.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    const emptied = draft.truncate(0, forever);
    completing.open();
    await publication;
    expect(published()?.equals(patterned(300 * KIB).subarray(1))).toBe(true);
    await emptied;
    await copy();
    await draft.publish(forever);
    expect(published()?.equals(patterned(300 * KIB).subarray(1))).toBe(true);
  });

  it('has its MD5 before the old one goes away', async () => {
    const writer = writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: MIB, md5Sum: true });
    const draft = await changedDraft(writer, 8 * MIB);
    await draft.publish(forever);
    expect(platform.named('folder', target.name)?.record.metadata).toEqual({ md5_sum: md5(bytes) });
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('can be read while the service has the new one, and has not said so', async () => {
    // Nothing of the old one stays in memory.
    const memory = new MemoryPool(2 * MIB);
    const draft = await changedDraft(writerOf({ ...limits, partSizeBytes: MIB, memory }), 8 * MIB);
    const [completed, answering] = [new Gate(), new Gate()];
    platform.on = async (call) => {
      if (call !== 'complete') return;
      platform.on = () => answering.open();
      platform.files.clear();
      completed.open();
      await answering.opened;
    };
    const publication = draft.publish(forever);
    await completed.opened;
    const { chunks } = await draft.read(100 * KIB, 4 * KIB, forever);
    expect(Buffer.concat(chunks).equals(bytes.subarray(100 * KIB, 104 * KIB))).toBe(true);
    await publication;
  });

  it('cannot be committed, since the rest of it may go away', async () => {
    const draft = await changedDraft();
    expect(draft.fits).toBe(false);
    await expect(draft.commit(forever)).rejects.toMatchObject({ kind: 'no-space' });
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });
});
