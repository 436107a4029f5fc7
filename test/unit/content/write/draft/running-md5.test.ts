import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Draft, OwedDraft } from '../../../../../src/content/ports.ts';
import type { ContentWriterOptions } from '../../../../../src/content/write/content-writer.ts';
import { RunningMd5 } from '../../../../../src/content/write/draft/running-md5.ts';
import { decodeEntry, encodeEntry } from '../../../../../src/content/write/journal/journal-entry.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { md5, refusal } from '../../fake-platform.ts';
import {
  bytesOf,
  forever,
  KIB,
  leftByKill,
  newDraft,
  platform,
  published,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

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
          // A file larger than the spool takes no more changes of its first bytes.
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

describe('the md5_sum of a file that was hashed in a mount that was killed', () => {
  const limits = { partSizeBytes: PART, spoolSizeBytes: 4 * PART };
  const mine = { metadata: { mine: 'yes' }, tags: ['old'] };
  const more = Buffer.from('more');

  /** Its journal, as the killed mount left it. */
  async function left(): Promise<string> {
    const draft = await draftOf(limits);
    await draft.annotate(mine);
    await writeInPieces(draft, bytes, 4 * KIB);
    await failToComplete(draft);
    await draft.commit(forever);
    return leftByKill();
  }

  async function recovered(directory: string, md5Sum: boolean): Promise<OwedDraft & { draft: Draft }> {
    const [recovery] = await writerOf({ ...limits, directory, md5Sum }).recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('it is not owed');
    const { owed } = recovery.outcome;
    if (owed.draft === undefined) throw new Error('its content is not owed');
    return { ...owed, draft: owed.draft };
  }

  /** As svcfs wrote it that did not tell what was set from what is of the bytes. */
  async function makeOld(directory: string): Promise<void> {
    const path = join(directory, 'journal');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const old = lines.map((line) => {
      const entry = decodeEntry(line);
      if (entry === undefined) throw new Error('a damaged line');
      if (entry.type !== 'draft') return `${line}\n`;
      return encodeEntry({ ...entry, draft: { ...entry.draft, noted: undefined } });
    });
    await writeFile(path, old.join(''));
  }

  describe.each([
    ['as svcfs is', async () => {}],
    ['of before', makeOld],
  ])('and whose journal is %s', (_, age) => {
    it.each([
      ['with', true],
      ['without', false],
    ])('is not what it was before more was written in the next one, %s --md5-sum', async (__, md5Sum) => {
      const directory = await left();
      await age(directory);
      const { draft, annotations } = await recovered(directory, md5Sum);
      expect(annotations).toEqual(mine);
      await draft.write(bytes.length, more, forever);
      await draft.annotate(annotations);
      const { metadata } = await draft.publish(forever);
      expect(published()?.equals(Buffer.concat([bytes, more]))).toBe(true);
      expect(metadata).toEqual(mine.metadata);
    });

    it('is as it was when nothing was', async () => {
      const directory = await left();
      await age(directory);
      const { draft, annotations } = await recovered(directory, false);
      await draft.annotate(annotations);
      expect(await md5SumOf(draft)).toBe(md5(bytes));
    });
  });

  it('is not that of all its bytes when it is published as it was closed before', async () => {
    const writer = writerOf({ md5Sum: true, partSizeBytes: PART, bootId: 'first' });
    const draft = await newDraft(writer);
    await draft.write(0, bytes, forever);
    await draft.commit(forever);
    await draft.write(bytes.length, more, forever);
    await failToComplete(draft);
    const other = await newDraft(writer, undefined, 'other');
    await other.sync(forever);
    const directory = await leftByKill();
    const recoveries = await writerOf({ partSizeBytes: PART, directory, bootId: 'second' }).recover();
    for (const { outcome } of recoveries) if (outcome.kind === 'owed') await outcome.owed.finish();
    expect(published()?.equals(bytes)).toBe(true);
    expect(platform.named('folder', 'new.bam')?.record.metadata).toEqual({});
  });

  it('is given to a file that was completed and had not got it yet', async () => {
    const draft = await draftOf(limits);
    await writeInPieces(draft, bytes, 4 * KIB);
    platform.on = (call) => {
      if (call === 'edit') throw refusal(403, 8001);
    };
    await expect(draft.publish(forever)).rejects.toThrow('8001');
    platform.on = () => {};
    await draft.sync(forever).catch(() => {});
    const directory = await leftByKill();
    const [recovery] = await writerOf({ ...limits, directory }).recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('it is not owed');
    await recovery.outcome.owed.finish();
    expect(platform.named('folder', 'new.bam')?.record.metadata['md5_sum']).toBe(md5(bytes));
  });
});
