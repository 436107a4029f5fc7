import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../../src/content/memory/memory-pool.ts';
import { patterned } from '../../fake-platform.ts';
import { forever, MIB, newDraft, platform, published, writerOf } from '../draft-world.ts';

it.each([
  ['in the spool', undefined],
  ['without room in the spool', 1],
])(
  'a large file is changed in place within its memory, %s, however many parts go at once',
  async (_, room) => {
    const memory = new MemoryPool(16 * MIB);
    let peakBytes = 0;
    platform.on = () => {
      peakBytes = Math.max(peakBytes, memory.lentBytes);
    };
    const bytes = patterned(48 * MIB);
    const { id: fileId, sizeBytes } = platform.addFile(bytes);
    const sizes = { partSizeBytes: 4 * MIB, ...(room !== undefined && { spoolSizeBytes: room }) };
    const writer = writerOf({ memory, partsInFlight: 12, ...sizes });
    const draft = await newDraft(writer, { kind: 'file', fileId, sizeBytes });
    await draft.write(0, Buffer.from('!'), forever);
    await draft.publish(forever);
    bytes.write('!');
    expect(published()?.equals(bytes)).toBe(true);
    expect(peakBytes).toBeLessThanOrEqual(memory.limitBytes * 1.5);
  },
);
