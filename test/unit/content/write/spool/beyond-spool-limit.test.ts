import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TransportError } from '../../../../../src/api/errors.ts';
import { ContentError, type ContentVersion, type Draft } from '../../../../../src/content/ports.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import {
  BECAUSE,
  forever,
  KIB,
  leftByKill,
  newDraft,
  platform,
  published,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

describe('the spool limit', () => {
  describe('a file larger than it, synced and not published', () => {
    const bytes = patterned(300 * KIB);
    const limits = { spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB };

    async function syncedDraft(): Promise<Draft> {
      const draft = await newDraft(writerOf(limits));
      await writeInPieces(draft, bytes, 4 * KIB);
      await draft.sync(forever);
      return draft;
    }

    /** The first bytes are at the service, the last ones here, and a person is told of both. */
    async function expectAllThere(path: string, told: string): Promise<void> {
      const [[uploadId, upload] = [], ...others] = platform.uploads;
      expect(others).toEqual([]);
      expect(told).toContain(`unfinished upload ${uploadId}`);
      expect(told).toContain('(raise --spool-size)');
      const spool = await readFile(path);
      expect(spool.length).toBe(bytes.length);
      for (const [number, part] of upload?.parts ?? []) part.copy(spool, (number - 1) * 16 * KIB);
      expect(spool.equals(bytes)).toBe(true);
      expect(published()).toBeUndefined();
    }

    it('keeps its upload open when its mount is killed, and the one after that', async () => {
      await syncedDraft();
      const left = await leftByKill();
      for (const _ of ['the next mount', 'the one after it']) {
        const writer = writerOf({ ...limits, directory: left });
        const [recovery] = await writer.recover();
        await writer.close();
        if (recovery?.outcome.kind !== 'kept') throw new Error('it was not kept');
        await expectAllThere(recovery.outcome.path, recovery.outcome.reason);
      }
    });

    it('keeps its upload open when it is given up', async () => {
      const draft = await syncedDraft();
      platform.on = (call) => {
        if (call === 'complete') throw refusal(403, 8001);
      };
      await expect(draft.publish(forever)).rejects.toThrow('8001');
      const kept = await draft.keep(BECAUSE);
      await expectAllThere(kept?.path ?? '', kept?.missing ?? '');
    });

    it('keeps its upload open when all of it is there, and nothing of it here', async () => {
      const draft = await newDraft(writerOf(limits));
      const whole = bytes.subarray(0, 288 * KIB);
      await writeInPieces(draft, whole, 4 * KIB);
      await draft.sync(forever);
      platform.on = (call) => {
        if (call === 'complete') throw new TransportError('no answer', { call });
      };
      await expect(draft.publish(forever)).rejects.toThrow('no answer');
      const full = new ContentError('no-space', 'the disk is full');
      const write = vi.spyOn(SpoolFile.prototype, 'write').mockRejectedValueOnce(full);
      onTestFinished(() => write.mockRestore());
      // The spool lets go of all it has for that.
      await expect(draft.write(whole.length, patterned(64 * KIB), forever)).rejects.toBe(full);
      const kept = await draft.keep(BECAUSE);
      const [[uploadId, upload] = []] = platform.uploads;
      expect(kept?.missing).toContain(`unfinished upload ${uploadId}`);
      const there = Buffer.alloc(whole.length);
      for (const [number, part] of upload?.parts ?? []) part.copy(there, (number - 1) * 16 * KIB);
      expect(there.equals(whole)).toBe(true);
    });
  });

  describe('a copy of a file that is written while the service makes it', () => {
    const sizeBytes = 300 * KIB;
    const limits = { spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB };
    const written = patterned(150 * KIB, 2);

    async function writtenCopy(): Promise<{ readonly draft: Draft; readonly source: ContentVersion }> {
      const { id: fileId } = platform.addFile(patterned(sizeBytes));
      const source = { kind: 'file', fileId, sizeBytes } as const;
      const draft = await newDraft(writerOf(limits));
      await draft.copyFrom(source, 0, { offset: 0, length: sizeBytes }, forever);
      await writeInPieces(draft, written, 4 * KIB);
      return { draft, source };
    }

    it('publishes what was written, too', async () => {
      const { draft, source } = await writtenCopy();
      const copy = platform.addFile(patterned(sizeBytes), { parent: 'folder', name: 'new.bam' });
      await draft.publishedAs(copy, source);
      await draft.publish(forever);
      const expected = Buffer.concat([written, patterned(sizeBytes).subarray(written.length)]);
      expect(published()?.equals(expected)).toBe(true);
    });

    it('takes no copy over bytes that it let go of, as no write', async () => {
      const { draft, source } = await writtenCopy();
      const copied = draft.copyFrom(source, 5, { offset: 5, length: 10 }, forever);
      await expect(copied).rejects.toThrow('larger than the spool');
      await draft.publish(forever);
      expect(published()?.subarray(0, written.length).equals(written)).toBe(true);
    });
  });

  describe('that a file was written beyond, which was published and is still open,', () => {
    it('lets another one go beyond it', async () => {
      const clock = new FakeClock();
      const writer = writerOf({ spoolSizeBytes: 1000, partSizeBytes: 1000, clock });
      const named = (name: string): Promise<Draft> => newDraft(writer, undefined, name);
      const [first, second] = [await named('first'), await named('second')];
      await first.write(0, patterned(500), forever);
      await second.write(0, patterned(500), forever);
      await first.write(500, patterned(1), forever);
      await first.publish(forever);
      await second.discard();
      await clock.advance(40_000);
      const [third, fourth] = [await named('third'), await named('fourth')];
      await third.write(0, patterned(500), forever);
      await fourth.write(0, patterned(500), forever);
      await fourth.write(500, patterned(1), forever);
    });

    it('lets another one go beyond it while what an ended mount left takes more', async () => {
      const left = await newDraft(writerOf(), undefined, 'left');
      await left.write(0, patterned(1100), forever);
      await left.commit(forever);
      const clock = new FakeClock();
      const limits = { spoolSizeBytes: 1000, partSizeBytes: 1000, clock };
      const writer = writerOf({ ...limits, directory: await leftByKill() });
      const [recovery] = await writer.recover();
      if (recovery?.outcome.kind !== 'owed') throw new Error('it is not owed');
      recovery.outcome.owed.draft?.stay();
      const [first, second] = await Promise.all(
        ['first', 'second'].map((name) => newDraft(writer, undefined, name)),
      );
      await first?.write(0, patterned(500), forever);
      await first?.publish(forever);
      await clock.advance(40_000);
      await second?.write(0, patterned(500), forever);
    });
  });
});
