import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../../src/content/memory/memory-pool.ts';
import type { ContentReader } from '../../../../../src/content/ports.ts';
import { DraftContent } from '../../../../../src/content/write/spool/draft-content.ts';
import type { Extent } from '../../../../../src/content/write/spool/extent-map.ts';
import { FetchTurns } from '../../../../../src/content/write/spool/fetch-turns.ts';
import { Gate } from '../../../../support/gate.ts';
import { patterned } from '../../fake-platform.ts';
import { bytesOf, forever, KIB, loneSpool, MIB, newDraft, platform, writerOf } from '../draft-world.ts';

const GIB = 1024 * MIB;

function emptyContent(memory = new MemoryPool(MIB)): DraftContent {
  return contentOf([], { open: () => expect.unreachable() }, memory);
}

function contentOf(
  extents: readonly Extent[],
  reader: ContentReader,
  memory = new MemoryPool(MIB),
): DraftContent {
  return new DraftContent({
    spool: loneSpool(2 * MIB),
    reader,
    memory,
    fetchTurns: new FetchTurns(memory),
    extents,
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

it('what is still read when the draft is closed opens no version that nobody would close', async () => {
  const gate = new Gate();
  let open = 0;
  const reader: ContentReader = {
    open: (version) => {
      open += 1;
      return {
        version,
        prepare: () => undefined,
        inspect: () => expect.unreachable(),
        read: () => gate.opened.then(() => ({ chunks: [Buffer.alloc(4)] })),
        close: () => {
          open -= 1;
        },
      };
    },
  };
  const extents = ['first', 'second'].map((fileId, index): Extent => {
    const origin = { kind: 'version', version: { kind: 'file', fileId, sizeBytes: 4 }, offset: 0 } as const;
    return { start: index * 4, end: index * 4 + 4, origin };
  });
  const content = contentOf(extents, reader);
  const reading = content.read({ start: 0, end: 8 }, forever);
  expect(open).toBe(1);
  await content.close({ keepSpool: false });
  gate.open();
  await expect(reading).rejects.toThrow('the draft is closed');
  expect(open).toBe(0);
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
