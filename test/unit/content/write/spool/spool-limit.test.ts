import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StorageError, TransportError } from '../../../../../src/api/errors.ts';
import { ContentError, type Draft } from '../../../../../src/content/ports.ts';
import type { ContentWriterOptions } from '../../../../../src/content/write/content-writer.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import {
  bytesOf,
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
    expect(writer.spool()).toMatchObject({ usedBytes: 900, limitBytes: 1000, waitingWrites: 0 });
    const waiting = (await newDraft(writer, undefined, 'other')).write(0, patterned(500), forever);
    await waitUntil(() => writer.spool().waitingWrites === 1);
    await closed.publish(forever);
    await waiting;
    expect(writer.spool()).toMatchObject({ usedBytes: 500, waitingWrites: 0 });
    expect(writerOf().spool()).toMatchObject({ usedBytes: 0, limitBytes: null, waitingWrites: 0 });
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
