import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import {
  bytesOf,
  forever,
  KIB,
  newDraft,
  platform,
  published,
  writeInPieces,
  writerOf,
} from './draft-world.ts';
import { patterned } from './fake-platform.ts';

describe('the spool limit', () => {
  it('gives a reason when nothing will make room', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 1000, partSizeBytes: 1000 }));
    await draft.write(0, patterned(900), forever);
    await expect(draft.write(900, patterned(200), forever)).rejects.toMatchObject({
      kind: 'no-space',
      message: expect.stringContaining('spool'),
    });
    await draft.publish(forever);
    expect(published()).toEqual(patterned(900));
  });

  it('lets one larger file be written from front to back, and read again once it is published', async () => {
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await writeInPieces(draft, bytes, 4 * KIB);
    for (const touch of [
      () => draft.write(5, Buffer.from('x'), forever),
      () => draft.truncate(10, forever),
      () => draft.read(0, 10, forever),
    ]) {
      await expect(touch()).rejects.toMatchObject({
        message: expect.stringContaining('larger than the spool'),
      });
    }
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    await draft.write(5, Buffer.from('x'), forever);
    bytes.write('x', 5);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('makes a writer wait for another file to be published', async () => {
    const writer = writerOf({ spoolSizeBytes: 1000 });
    const first = await newDraft(writer, undefined, 'first');
    const second = await newDraft(writer, undefined, 'second');
    await first.write(0, patterned(900), forever);
    let go = (): void => {};
    platform.on = (call) => (call === 'complete' ? new Promise((resolve) => (go = resolve)) : undefined);
    const publication = first.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    let written = false;
    const waiting = second.write(0, patterned(500), forever).then(() => {
      written = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    platform.on = () => {};
    go();
    await Promise.all([publication, waiting]);
    expect(await bytesOf(first)).toEqual(patterned(900));
  });
});
