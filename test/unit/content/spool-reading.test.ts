import { expect, it } from 'vitest';
import { MemoryPool } from '../../../src/content/memory/memory-pool.ts';
import { DraftContent } from '../../../src/content/write/spool/draft-content.ts';
import { FetchTurns } from '../../../src/content/write/spool/fetch-turns.ts';
import { bytesOf, forever, KIB, loneSpool, MIB, newDraft, platform, writerOf } from './draft-world.ts';
import { patterned } from './fake-platform.ts';

const GIB = 1024 * MIB;

function emptyContent(memory = new MemoryPool(MIB)): DraftContent {
  return new DraftContent({
    spool: loneSpool(2 * MIB),
    reader: { open: () => expect.unreachable() },
    memory,
    fetchTurns: new FetchTurns(memory),
    extents: [],
    beforeChange: () => undefined,
    mayChange: () => undefined,
    onChange: () => undefined,
    onRelease: () => undefined,
    onUnchanged: async () => undefined,
  });
}

it('a part is read from the spool while the event loop goes on', async () => {
  const content = emptyContent();
  const bytes = patterned(MIB);
  await content.write(0, bytes, forever);
  const into = Buffer.alloc(MIB);
  let isRead = false;
  const reading = content.readInto(0, into, forever).then(() => {
    isRead = true;
  });
  // All is done by then that the event loop had to wait for.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(isRead).toBe(false);
  await reading;
  expect(into.equals(bytes)).toBe(true);
  await content.close({ keepSpool: false });
});

it('what was written in many small places is read in one piece, and in little memory', async () => {
  const memory = new MemoryPool(MIB);
  const content = emptyContent(memory);
  const record = Buffer.from('record');
  const written = Buffer.alloc(512 * KIB);
  for (let at = 0; at < written.length; at += 128) {
    record.copy(written, at);
    await content.write(at, record, forever);
  }
  const read = await content.read({ start: 0, end: written.length }, forever);
  expect(read.chunks).toHaveLength(1);
  expect(read.chunks[0]).toEqual(written.subarray(0, content.sizeBytes));
  expect(memory.lentBytes).toBe(512 * KIB);
  read.release?.();
  expect(memory.lentBytes).toBe(0);
  await content.close({ keepSpool: false });
});

it('what was changed in many small places is read with what is between them', async () => {
  const bytes = patterned(512 * KIB);
  const { id } = platform.addFile(bytes);
  const draft = await newDraft(writerOf({ partSizeBytes: MIB }), {
    kind: 'file',
    fileId: id,
    sizeBytes: bytes.length,
  });
  const record = Buffer.from('record');
  for (let at = 64; at < bytes.length; at += 128) {
    record.copy(bytes, at);
    await draft.write(at, record, forever);
  }
  expect(await bytesOf(draft)).toEqual(bytes);
  await draft.discard();
});

it('a part is read that lies further before the end than a buffer of Node can be long', async () => {
  const content = emptyContent();
  await content.write(0, Buffer.from('head'), forever);
  await content.write(5 * GIB, Buffer.from('tail'), forever);
  const into = Buffer.alloc(6, '?');
  await content.readInto(0, into, forever);
  expect(into.toString()).toBe('head\0\0');
  await content.readInto(5 * GIB, into, forever);
  expect(into.toString()).toBe('tail\0\0');
  await content.close({ keepSpool: false });
});
