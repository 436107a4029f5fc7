import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Draft } from '../../../src/content/ports.ts';
import type { ContentWriterOptions } from '../../../src/content/write/content-writer.ts';
import { RunningMd5 } from '../../../src/content/write/running-md5.ts';
import { SpoolFile } from '../../../src/content/write/spool-file.ts';
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
import { md5, refusal } from './fake-platform.ts';

const PART = 16 * KIB;
/** Eight parts, the last of them short. */
const bytes = randomBytes(8 * PART - 100);
const anew = randomBytes(8 * PART - 100);

const draftOf = (options: Partial<ContentWriterOptions> = {}): Promise<Draft> =>
  newDraft(writerOf({ md5Sum: true, partSizeBytes: PART, ...options }));

async function md5SumOf(draft: Draft): Promise<string | undefined> {
  const { metadata } = await draft.publish(forever);
  return metadata['md5_sum'];
}

/** Counts from here on. */
function spoolReads(): { readonly bytes: number } {
  const spy = vi.spyOn(SpoolFile.prototype, 'read');
  return {
    get bytes() {
      return spy.mock.calls.reduce((sum, [, into]) => sum + into.length, 0);
    },
  };
}

/** Returns when nothing is to be done before the close: all parts but the last are sent, and all but three are hashed. */
async function writtenDraft(): Promise<Draft> {
  const draft = await draftOf();
  const reads = spoolReads();
  for (let part = 0; part < 8; part += 1) {
    await writeInPieces(draft, bytes.subarray(0, (part + 1) * PART), 4 * KIB, part * PART);
    await waitUntil(() => platform.count('put') >= part && reads.bytes >= (2 * part - 2) * PART);
  }
  return draft;
}

/** All is sent and hashed, and no file comes of it. */
async function failToComplete(draft: Draft): Promise<void> {
  const finish = vi.spyOn(RunningMd5.prototype, 'finish');
  platform.on = async (call) => {
    if (call !== 'complete') return;
    await finish.mock.results[0]?.value;
    throw refusal(403, 8001);
  };
  await expect(draft.publish(forever)).rejects.toThrow('8001');
  platform.on = () => {};
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the md5_sum of a file', () => {
  it('is computed while it is written from front to back, so that its close reads the end alone', async () => {
    const draft = await writtenDraft();
    const atClose = spoolReads();
    const before = atClose.bytes;
    expect(await md5SumOf(draft)).toBe(md5(bytes));
    expect(atClose.bytes - before).toBeLessThanOrEqual(4 * PART);
  });

  it('costs nothing when it is not asked for', async () => {
    const reads = spoolReads();
    const draft = await draftOf({ md5Sum: false });
    await writeInPieces(draft, bytes, 4 * KIB);
    expect(await md5SumOf(draft)).toBeUndefined();
    expect(reads.bytes).toBe(bytes.length);
  });

  it.each([
    ['a byte changed', (draft: Draft) => draft.write(5, Buffer.from('x'), forever)],
    ['its end cut off', (draft: Draft) => draft.truncate(PART + 5, forever)],
    ['been made longer', (draft: Draft) => draft.truncate(bytes.length + 70, forever)],
    [
      'been cut off and written anew',
      async (draft: Draft) => {
        await draft.truncate(PART, forever);
        await writeInPieces(draft, randomBytes(6 * PART), 4 * KIB);
      },
    ],
    [
      'another copied into it',
      async (draft: Draft) => {
        const { id: fileId, sizeBytes } = platform.addFile(randomBytes(100));
        const to = { offset: PART - 10, length: 50 };
        await draft.copyFrom({ kind: 'file', fileId, sizeBytes }, 10, to, forever);
      },
    ],
  ])('is that of its bytes when it has %s after they were hashed', async (_, change) => {
    const draft = await writtenDraft();
    await change(draft);
    const now = await bytesOf(draft);
    expect(await md5SumOf(draft)).toBe(md5(now));
    await draft.write(draft.sizeBytes, Buffer.from('more'), forever);
    expect(await md5SumOf(draft)).toBe(md5(Buffer.concat([now, Buffer.from('more')])));
  });

  it('is computed while the file is written anew from its beginning', async () => {
    const draft = await writtenDraft();
    await draft.truncate(0, forever);
    const reads = spoolReads();
    const before = reads.bytes;
    for (let part = 0; part < 8; part += 1) {
      await writeInPieces(draft, anew.subarray(0, (part + 1) * PART), 4 * KIB, part * PART);
      await waitUntil(() => reads.bytes - before >= (part - 2) * PART);
    }
    expect(await md5SumOf(draft)).toBe(md5(anew));
    // The parts go again, when it is closed.
    expect(reads.bytes - before).toBe(2 * anew.length);
  });

  it('is computed once for a file whose completion failed', async () => {
    const draft = await writtenDraft();
    await failToComplete(draft);
    const reads = spoolReads();
    const before = reads.bytes;
    expect(await md5SumOf(draft)).toBe(md5(bytes));
    expect(reads.bytes).toBe(before);
  });
});

describe('the md5_sum of a file larger than the spool', () => {
  it.each([
    ['whole blocks', PART],
    ['no whole blocks', PART - 1],
  ])(
    'is that of its bytes when it is written from front to back in parts of %s',
    async (_, partSizeBytes) => {
      const draft = await draftOf({ partSizeBytes, spoolSizeBytes: 4 * PART });
      await writeInPieces(draft, bytes, 4 * KIB);
      expect(await md5SumOf(draft)).toBe(md5(bytes));
      expect(published()?.equals(bytes)).toBe(true);
    },
  );

  it('is left out when bytes were let go of before their turn', async () => {
    const draft = await draftOf({ spoolSizeBytes: 4 * PART });
    await writeInPieces(draft, bytes, 4 * KIB, PART);
    await draft.write(0, bytes.subarray(0, PART), forever);
    expect(await md5SumOf(draft)).toBeUndefined();
    expect(published()?.equals(bytes)).toBe(true);
  });

  it('is not what it was before more was written, after a completion that failed', async () => {
    const draft = await draftOf({ spoolSizeBytes: 4 * PART });
    await writeInPieces(draft, bytes, 4 * KIB);
    await failToComplete(draft);
    await draft.write(bytes.length, Buffer.from('more'), forever);
    expect(await md5SumOf(draft)).toBeUndefined();
  });

  it('is right or left out, in whatever order the file is written', async () => {
    const piece = fc.record({ at: fc.nat(900), length: fc.integer({ min: 1, max: 300 }) });
    const writer = writerOf({ md5Sum: true, partSizeBytes: 64, spoolSizeBytes: 400 });
    const property = fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
      const draft = await newDraft(writer);
      const written = Buffer.alloc(1200);
      let sizeBytes = 0;
      try {
        for (const { at, length } of pieces) {
          const data = randomBytes(length);
          // What is larger than the spool takes no more changes of its first bytes.
          const count = await draft.write(at, data, forever).catch(() => 0);
          data.copy(written, at, 0, count);
          if (count > 0) sizeBytes = Math.max(sizeBytes, at + count);
        }
        const sum = await md5SumOf(draft);
        if (sum !== undefined) expect(sum).toBe(md5(written.subarray(0, sizeBytes)));
      } finally {
        await draft.discard();
      }
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
