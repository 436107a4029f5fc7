import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../../src/api/errors.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import {
  bytesOf,
  directory,
  forever,
  MIB,
  newDraft,
  platform,
  published,
  target,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

describe('a draft', () => {
  it('of an existing file starts with its bytes, and fetches only what is read', async () => {
    const base = platform.addFile(patterned(8 * MIB), { parent: 'folder', name: target.name });
    const version = { kind: 'file', fileId: base.id, sizeBytes: 8 * MIB } as const;
    const draft = await newDraft(writerOf({ partSizeBytes: 5 * MIB }), version);
    expect(draft.sizeBytes).toBe(8 * MIB);
    expect(draft.dirty).toBe(false);
    const { chunks, release } = await draft.read(MIB, 100, forever);
    expect(Buffer.concat(chunks)).toEqual(patterned(8 * MIB).subarray(MIB, MIB + 100));
    release?.();
    expect(platform.ranges.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(64 * 1024);
    await draft.write(8 * MIB, Buffer.from('more'), forever);
    await draft.publish(forever);
    const expected = Buffer.concat([patterned(8 * MIB), Buffer.from('more')]);
    expect(published()?.equals(expected)).toBe(true);
  });

  it('reads zeros where nothing was written, also where bytes were cut off before', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('secret'), forever);
    await draft.truncate(2, forever);
    await draft.truncate(8, forever);
    await draft.write(10, Buffer.from('x'), forever);
    expect(await bytesOf(draft)).toEqual(Buffer.from('se\0\0\0\0\0\0\0\0x'));
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.from('se\0\0\0\0\0\0\0\0x'));
  });

  it('knows when it is a whole copy of another file, and fetches nothing for it', async () => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300)).id, sizeBytes: 300 } as const;
    const draft = await newDraft(writerOf());
    await draft.copyFrom(source, 0, { offset: 0, length: 100 }, forever);
    expect(draft.wholeCopyOf()).toBeUndefined();
    await draft.copyFrom(source, 100, { offset: 100, length: 200 }, forever);
    expect(draft.wholeCopyOf()).toEqual(source);
    expect(draft.dirty).toBe(true);
    expect(platform.calls).toEqual([]);
    await draft.write(5, Buffer.from('!'), forever);
    expect(draft.wholeCopyOf()).toBeUndefined();
    await draft.publish(forever);
    const expected = patterned(300);
    expect(published()).toEqual(
      Buffer.concat([expected.subarray(0, 5), Buffer.from('!'), expected.subarray(6)]),
    );
  });

  it('is clean after a server-side copy made the file', async () => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300)).id, sizeBytes: 300 } as const;
    const draft = await newDraft(writerOf());
    await draft.copyFrom(source, 0, { offset: 0, length: 300 }, forever);
    const copy = platform.addFile(patterned(300), { parent: 'folder', name: target.name });
    await draft.publishedAs(copy, source);
    expect(draft.dirty).toBe(false);
    platform.files.delete(source.fileId);
    expect(await bytesOf(draft)).toEqual(patterned(300));
    expect(await draft.publish(forever)).toBe(copy);
  });

  it('stays dirty when it was changed while the server-side copy was made', async () => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300)).id, sizeBytes: 300 } as const;
    const draft = await newDraft(writerOf());
    await draft.copyFrom(source, 0, { offset: 0, length: 300 }, forever);
    await draft.write(0, Buffer.from('!'), forever);
    await draft.publishedAs(
      platform.addFile(patterned(300), { parent: 'folder', name: target.name }),
      source,
    );
    expect(draft.dirty).toBe(true);
    expect(draft.synced).toBe(false);
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.concat([Buffer.from('!'), patterned(300).subarray(1)]));
  });

  it('that had to be new, and was changed while the server-side copy was made, replaces that copy', async () => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300)).id, sizeBytes: 300 } as const;
    const draft = await writerOf().draft({
      target: { ...target, overwrite: false },
      base: undefined,
      label: 'x',
    });
    await draft.copyFrom(source, 0, { offset: 0, length: 300 }, forever);
    await writeInPieces(draft, patterned(250, 2), 50);
    await waitUntil(() => platform.count('put') >= 2);
    const copy = platform.addFile(patterned(300), { parent: 'folder', name: target.name });
    await draft.publishedAs(copy, source);
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.concat([patterned(250, 2), patterned(300).subarray(250)]));
    await waitUntil(() => platform.uploads.size === 0);
  });

  it('renamed while half-written completes under its new name only', async () => {
    const draft = await newDraft(writerOf());
    await writeInPieces(draft, patterned(350), 50);
    await waitUntil(() => platform.count('put') >= 2);
    await draft.retarget({ ...target, name: 'renamed.bam' }, 'trial/renamed.bam');
    await draft.publish(forever);
    expect(published()).toBeUndefined();
    expect(published('renamed.bam')).toEqual(patterned(350));
    await waitUntil(() => platform.uploads.size === 0);
  });

  it('tells of an upload error at sync', async () => {
    const draft = await newDraft(writerOf());
    platform.on = (call) => {
      if (call === 'put 1') throw new StorageError('failed', 'store is full');
    };
    await writeInPieces(draft, patterned(150), 50);
    await waitUntil(() => platform.count('put') >= 1);
    await waitUntil(() =>
      draft.sync(forever).then(
        () => false,
        (error: Error) => error.message === 'store is full',
      ),
    );
  });

  it('leaves nothing behind when it is discarded', async () => {
    const draft = await newDraft(writerOf());
    await writeInPieces(draft, patterned(350), 50);
    await waitUntil(() => platform.count('put') >= 2);
    await draft.discard();
    expect(await readdir(directory.name)).toEqual(['journal']);
    await waitUntil(() => platform.uploads.size === 0);
  });

  it('frees its spool when it is published and closed', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, randomBytes(1000), forever);
    await draft.publish(forever);
    await draft.close();
    expect(await readdir(directory.name)).toEqual(['journal']);
  });
});
