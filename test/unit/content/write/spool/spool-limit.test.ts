import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StorageError, TransportError } from '../../../../../src/api/errors.ts';
import { ContentError, type ContentVersion, type Draft } from '../../../../../src/content/ports.ts';
import type { ContentWriterOptions } from '../../../../../src/content/write/content-writer.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import type { DiskRoom } from '../../../../../src/content/write/spool/disk-limit.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import {
  BECAUSE,
  bytesOf,
  directory,
  forever,
  KIB,
  leftByKill,
  newDraft,
  platform,
  published,
  target,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

describe('the disk of the spool', () => {
  /** Of so many bytes, all of them free but for the spools. */
  function smallDisk(sizeBytes: number): { readonly disk: DiskRoom; readonly most: () => number } {
    let most = 0;
    const bytes = async (): Promise<number> => {
      const names = (await readdir(directory.name)).filter((name) => name.endsWith('.spool'));
      const sizes = await Promise.all(names.map((name) => stat(join(directory.name, name))));
      const usedBytes = sizes.reduce((sum, { blocks }) => sum + 512 * blocks, 0);
      most = Math.max(most, usedBytes);
      return Math.max(0, sizeBytes - usedBytes);
    };
    return { disk: { directory: directory.name, bytes }, most: () => most };
  }

  it('may be smaller than a file: parts that the service has are let go of', async () => {
    const { disk, most } = smallDisk(256 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const bytes = patterned(2048 * KIB);
    await writeInPieces(draft, bytes, 16 * KIB);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect(most()).toBeLessThanOrEqual(256 * KIB);
  });

  it('keeps all of a file that it has room for, which can be read and changed until it is closed', async () => {
    const { disk } = smallDisk(1024 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const bytes = patterned(512 * KIB);
    await writeInPieces(draft, bytes, 16 * KIB);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    await draft.write(5, Buffer.from('x'), forever);
    await draft.publish(forever);
  });

  it('is named when it has no room for a part', async () => {
    const { disk } = smallDisk(32 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const written = draft.write(1, patterned(512 * KIB), forever);
    await expect(written).rejects.toThrow(`the disk of the spool directory ${directory.name} is full`);
  });
});

describe('the spool limit', () => {
  it('gives a reason when nothing will make room', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 1000, partSizeBytes: 500 }));
    await draft.write(1, patterned(900), forever);
    await expect(draft.write(2501, patterned(1200), forever)).rejects.toMatchObject({
      kind: 'no-space',
      message:
        'files being written take 900 B of the spool, which may hold 1000 B, and none of them is about to be finished; ' +
        'raise --spool-size, or write fewer files at once',
    });
    await draft.publish(forever);
    expect(published()?.subarray(1)).toEqual(patterned(900));
  });

  it('lets one larger file be written from front to back, and read again once it is published', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await writeInPieces(draft, bytes, 4 * KIB);
    expect(draft.fits).toBe(false);
    for (const touch of [
      () => draft.write(5, Buffer.from('x'), forever),
      () => draft.truncate(10, forever),
      () => draft.read(0, 10, forever),
    ]) {
      await expect(touch()).rejects.toMatchObject({
        message: expect.stringMatching(/larger than the spool .*\(raise --spool-size\)$/),
      });
    }
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    await draft.write(5, Buffer.from('x'), forever);
    bytes.write('x', 5);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('lets go of nothing of that file when the journal cannot tell, and of all that was sent when it can', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    const full = new ContentError('no-space', 'the disk is full');
    vi.spyOn(Journal.prototype, 'durable').mockRejectedValueOnce(full);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(writeInPieces(draft, bytes, 4 * KIB)).rejects.toBe(full);
    expect((await bytesOf(draft)).equals(bytes.subarray(0, draft.sizeBytes))).toBe(true);
    expect(draft.fits).toBe(true);
    await writeInPieces(draft, bytes, 4 * KIB, draft.sizeBytes);
    expect(draft.fits).toBe(false);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('keeps all here that a close acknowledged, though it is appended to, and the next mount uploads that', async () => {
    const limits = { spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB };
    const draft = await newDraft(writerOf(limits));
    const bytes = patterned(300 * KIB);
    const closed = bytes.subarray(0, 40 * KIB);
    await writeInPieces(draft, closed, 4 * KIB);
    await draft.commit(forever);
    platform.on = (call) => {
      if (call === 'complete') throw new TransportError('no answer', { call });
    };
    await expect(draft.publish(forever)).rejects.toThrow('no answer');
    await writeInPieces(draft, bytes, 4 * KIB, closed.length);
    expect(draft.fits).toBe(false);
    await draft.sync(forever).catch(() => {});
    platform.on = () => {};
    const left = await leftByKill();
    const [upload] = platform.uploads.keys();
    const [kept, owed, ...others] = await writerOf({ ...limits, directory: left }).recover();
    expect(others).toEqual([]);
    if (kept?.outcome.kind !== 'kept' || owed?.outcome.kind !== 'owed') throw new Error('it was not parted');
    expect(kept.outcome.reason).toContain(`unfinished upload ${upload}`);
    await owed.outcome.owed.finish();
    expect(published()?.equals(closed)).toBe(true);
    expect([...platform.uploads.keys()]).toEqual([upload]);
  });

  it('is no end for a file that was smaller than a part when its upload failed, and is appended to', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await writeInPieces(draft, bytes.subarray(0, 8 * KIB), 4 * KIB);
    platform.on = (call) => {
      if (call === 'complete') throw new TransportError('no answer', { call });
    };
    await expect(draft.publish(forever)).rejects.toThrow('no answer');
    platform.on = () => {};
    await writeInPieces(draft, bytes, 4 * KIB, 8 * KIB);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('is no end for a file that was changed in place when its upload failed, and is appended to', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await writeInPieces(draft, bytes.subarray(0, 56 * KIB), 4 * KIB);
    await draft.publish(forever);
    await draft.write(0, Buffer.from('x'), forever);
    bytes.write('x');
    platform.on = (call) => {
      if (call === 'complete') throw new TransportError('no answer', { call });
    };
    await expect(draft.publish(forever)).rejects.toThrow('no answer');
    platform.on = () => {};
    await writeInPieces(draft, bytes, 4 * KIB, 56 * KIB);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it.each([
    ['a part', 'put '],
    ['the upload', 'initialise'],
  ])('is no end for a file whose store was away for a while, when %s failed', async (_, call) => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    let failures = 0;
    platform.on = (made) => {
      if (made.startsWith(call) && failures++ === 0) throw new StorageError('failed', 'the store is away');
    };
    await writeInPieces(draft, bytes, 4 * KIB);
    expect(failures).toBeGreaterThan(0);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    await draft.sync(forever);
  });

  it('tells what the store said, and not of the spool, when parts cannot be sent', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    platform.on = (call) => {
      if (call.startsWith('put ')) throw new StorageError('failed', 'the store is away');
    };
    await expect(writeInPieces(draft, patterned(300 * KIB), 4 * KIB)).rejects.toThrow('the store is away');
  });

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

  it('keeps what is being written into a part that was sent when room is made', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(80 * KIB);
    await writeInPieces(draft, bytes.subarray(0, 64 * KIB), 4 * KIB);
    await waitUntil(() => platform.count('put') >= 3);
    await Promise.all([
      draft.write(5, Buffer.from('x'), forever),
      draft.write(64 * KIB, bytes.subarray(64 * KIB), forever),
    ]);
    await draft.publish(forever);
    bytes.write('x', 5);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('lets that file outgrow 10,000 parts of its first part size where parts may differ', async () => {
    platform.capabilities.add('variable_part_size');
    // Nine parts arrive, and their room is what the end of the file needs.
    const written = new Gate();
    platform.on = (call) => (/^partUrl \d\d+$/.test(call) ? written.opened : undefined);
    const bytes = patterned(10_000 * 16 + 100);
    const draft = await newDraft(writerOf({ spoolSizeBytes: bytes.length - 50, partSizeBytes: 16 }));
    await writeInPieces(draft, bytes, 5000);
    written.open();
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('lets go of nothing of a file that is being renamed, whose writer waits for that', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await writeInPieces(draft, bytes.subarray(0, 64 * KIB), 4 * KIB);
    const gate = new Gate();
    const renamed = draft.whileMoved(async () => {
      await gate.opened;
      expect(draft.fits).toBe(true);
      await draft.retarget({ ...target, name: 'renamed' }, 'trial/renamed');
    });
    const written = writeInPieces(draft, bytes, 4 * KIB, 64 * KIB);
    await waitUntil(() => platform.count('put') >= 3 && platform.putsInFlight === 0);
    await expect(isDone(written)).resolves.toBe(false);
    gate.open();
    await Promise.all([renamed, written]);
    await draft.publish(forever);
    expect(published('renamed')?.equals(bytes)).toBe(true);
  });

  it('has room for what is whole already, however full it is', async () => {
    const [ahead, other] = await twoDrafts({ partSizeBytes: 400 });
    await other.write(0, patterned(700), forever);
    await ahead.write(0, patterned(300), forever);
    await ahead.write(300, patterned(50), forever);
    expect(other.fits).toBe(true);
  });

  it('makes a writer wait for another file to be published', async () => {
    const [first, second] = await twoDrafts({ partSizeBytes: 100 });
    await first.write(0, patterned(900), forever);
    const completing = new Gate();
    platform.on = (call) => (call === 'complete' ? completing.opened : undefined);
    const publication = first.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    await expectToWait(second, () => {
      completing.open();
      return publication;
    });
    expect(await bytesOf(first)).toEqual(patterned(900));
  });

  it('tells what it has taken, and who waits for room', async () => {
    const writer = writerOf({ spoolSizeBytes: 1000, partSizeBytes: 1000 });
    const closed = await newDraft(writer);
    await closed.write(0, patterned(900), forever);
    await closed.commit(forever);
    expect(writer.spool()).toEqual({ usedBytes: 900, limitBytes: 1000, waitingWrites: 0 });
    const waiting = (await newDraft(writer, undefined, 'other')).write(0, patterned(500), forever);
    await waitUntil(() => writer.spool().waitingWrites === 1);
    await closed.publish(forever);
    await waiting;
    expect(writer.spool()).toMatchObject({ usedBytes: 500, waitingWrites: 0 });
    expect(writerOf().spool()).toEqual({ usedBytes: 0, limitBytes: null, waitingWrites: 0 });
  });

  it('makes a writer wait for another file that was closed, and whose upload is tried again later', async () => {
    const [closed, second] = await closedAndOther();
    await expectToWait(second, () => closed.publish(forever));
  });

  it('does not make a writer wait for a file that was closed, and that nobody is going to publish', async () => {
    const [staying, second] = await closedAndOther();
    await expectToWait(second, () => staying.stay());
  });

  it('does not make a writer wait for a file that was removed while a program has it open', async () => {
    const [removed, second] = await closedAndOther();
    await expectToWait(second, () => removed.disown());
  });

  it('makes a writer wait for such a file again when it was closed once more', async () => {
    const [closed, second] = await closedAndOther();
    closed.stay();
    await closed.commit(forever);
    await expectToWait(second, () => closed.publish(forever));
  });

  it('makes a writer wait for another file that is being closed, before any of it is sent', async () => {
    const [closing, second] = await twoDrafts();
    await closing.write(0, patterned(900), forever);
    let waiting: Promise<unknown> | undefined;
    await closing.whileFinishing(async () => {
      waiting = second.write(0, patterned(500), forever);
      await expect(isDone(waiting)).resolves.toBe(false);
      await closing.publish(forever);
    });
    await waiting;
  });

  it('is no end for several files that are written at once, each with less than a part when it is reached', async () => {
    const writer = writerOf({ spoolSizeBytes: 1000, partSizeBytes: 400 });
    const copy = async (name: string): Promise<void> => {
      const draft = await newDraft(writer, undefined, name);
      await writeInPieces(draft, patterned(4000), 37);
      await draft.publish(forever);
      await draft.close();
    };
    const names = ['one', 'two', 'three'];
    await Promise.all(names.map(copy));
    for (const name of names) expect(published(name)?.equals(patterned(4000))).toBe(true);
  });

  it('is told after a while to who waits for a file that its own program may be holding up', async () => {
    const clock = new FakeClock();
    const [first, second] = await twoDrafts({ clock });
    await first.write(0, patterned(500), forever);
    await second.write(0, patterned(500), forever);
    await first.write(500, patterned(1), forever);
    const waiting = second.write(500, patterned(1), forever);
    const refused = expect(waiting).rejects.toMatchObject({ kind: 'no-space' });
    await clock.advance(20_000);
    await first.write(501, patterned(1), forever);
    await clock.advance(20_000);
    await expect(isDone(waiting)).resolves.toBe(false);
    await clock.advance(40_000);
    await refused;
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

async function twoDrafts(options: Partial<ContentWriterOptions> = {}): Promise<readonly [Draft, Draft]> {
  const writer = writerOf({ spoolSizeBytes: 1000, partSizeBytes: 1000, ...options });
  return [await newDraft(writer, undefined, 'first'), await newDraft(writer, undefined, 'second')];
}

/** The closed one leaves too little room for what `expectToWait` writes into the other. */
async function closedAndOther(): Promise<readonly [Draft, Draft]> {
  const [closed, other] = await twoDrafts();
  await closed.write(0, patterned(900), forever);
  await closed.commit(forever);
  return [closed, other];
}

/** Bytes written into it have no room until this is done, and have room then. */
async function expectToWait(draft: Draft, until: () => unknown): Promise<void> {
  const waiting = draft.write(0, patterned(500), forever);
  await expect(isDone(waiting)).resolves.toBe(false);
  await until();
  await waiting;
}

async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  const end = (): void => {
    done = true;
  };
  work.then(end, end);
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}
