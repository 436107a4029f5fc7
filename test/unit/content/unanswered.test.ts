import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/api/errors.ts';
import type { Draft } from '../../../src/content/ports.ts';
import { Gate } from '../../support/gate.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  bytesOf,
  forever,
  KIB,
  leftByKill,
  newDraft,
  platform,
  published,
  target,
  writerOf,
} from './draft-world.ts';
import { patterned } from './fake-platform.ts';

const lost = new TransportError('connection lost', { call: 'complete' });

/** The next completion is done, and answered when `then` resolves, by the end of the connection. */
function loseAnswer(then?: Promise<void>): void {
  platform.on = async (call) => {
    if (call !== 'complete') return;
    platform.on = () => {};
    platform.completeUpload();
    await then;
    throw lost;
  };
}

describe('a completion that was done and had no answer', () => {
  it('makes no second file of the same bytes', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    loseAnswer();
    await expect(draft.publish(forever)).rejects.toBe(lost);
    const { id } = await draft.publish(forever);
    expect([...platform.files.keys()]).toEqual([id]);
    expect(platform.count('initialise')).toBe(1);
    expect(draft.dirty).toBe(false);
  });

  it('is not taken for that of what was changed since', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    loseAnswer();
    await expect(draft.publish(forever)).rejects.toBe(lost);
    await draft.write(0, Buffer.from('j'), forever);
    await draft.publish(forever);
    expect(published()?.toString()).toBe('jello');
  });

  it('is not taken for that of what was changed in the next mount', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    await draft.commit(forever);
    const killed = new Gate();
    loseAnswer(killed.opened);
    const publication = expect(draft.publish(forever)).rejects.toBe(lost);
    await waitUntil(() => published() !== undefined);
    const [recovery] = await writerOf({ directory: await leftByKill() }).recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('it is not owed');
    const { draft: again } = recovery.outcome.owed;
    await again?.write(0, Buffer.from('j'), forever);
    await again?.publish(forever);
    expect(published()?.toString()).toBe('jello');
    killed.open();
    await publication;
  });

  describe('of a file that builds on more than --spool-size', () => {
    const sizeBytes = 300 * KIB;

    async function changedDraft(): Promise<Draft> {
      const { id: fileId } = platform.addFile(patterned(sizeBytes), { parent: 'folder', name: target.name });
      const writer = writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB });
      const draft = await newDraft(writer, { kind: 'file', fileId, sizeBytes });
      await draft.write(150 * KIB, Buffer.from('x'), forever);
      return draft;
    }

    it.each([
      ['changed', 20 * KIB],
      ['appended to', sizeBytes],
    ])('does not keep it from being %s', async (_, offset) => {
      const draft = await changedDraft();
      loseAnswer();
      await expect(draft.publish(forever)).rejects.toBe(lost);
      await draft.write(offset, Buffer.from('y'), forever);
      await draft.publish(forever);
      const bytes = Buffer.concat([patterned(sizeBytes), Buffer.alloc(1)]).subarray(0, draft.sizeBytes);
      bytes.write('x', 150 * KIB);
      bytes.write('y', offset);
      expect(published()?.equals(bytes)).toBe(true);
      expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    });
  });
});
