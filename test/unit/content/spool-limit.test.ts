import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/content/ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  bytesOf,
  directory,
  forever,
  KIB,
  newDraft,
  platform,
  published,
  writeInPieces,
  writerOf,
} from './draft-world.ts';
import { patterned, refusal } from './fake-platform.ts';

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

  describe('and a file larger than it, synced and not published', () => {
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
      const spool = await readFile(path);
      expect(spool.length).toBe(bytes.length);
      for (const [number, part] of upload?.parts ?? []) part.copy(spool, (number - 1) * 16 * KIB);
      expect(spool.equals(bytes)).toBe(true);
      expect(published()).toBeUndefined();
    }

    it('keeps its upload open when its mount is killed, and the one after that', async () => {
      await syncedDraft();
      const left = join(directory.name, 'after-kill');
      await mkdir(left);
      for (const name of (await readdir(directory.name)).filter((each) => /journal|spool/.test(each)))
        await cp(join(directory.name, name), join(left, name));
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
      const kept = await draft.keep();
      await expectAllThere(kept?.path ?? '', kept?.missing ?? '');
    });
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
