/** Some of the bytes of a file larger than the spool are in its unfinished upload only, until that is completed. */
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import { bytesOf, forever, KIB, newDraft, platform, writeInPieces, writerOf } from '../draft-world.ts';

const limits = { spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB };
const bytes = patterned(300 * KIB);

interface Publishing {
  readonly draft: Draft;
  readonly published: Promise<unknown>;
  /** The service completes it, or fails to. */
  readonly complete: (failure?: Error) => void;
}

async function publishing(draft: Draft): Promise<Publishing> {
  const completing = new Gate<Error | undefined>();
  platform.on = async (call) => {
    const failure = call === 'complete' ? await completing.opened : undefined;
    if (failure) throw failure;
  };
  const published = draft.publish(forever);
  await waitUntil(() => platform.count('complete') === 1);
  return { draft, published, complete: (failure) => completing.open(failure) };
}

async function largeDraft(): Promise<Draft> {
  const draft = await newDraft(writerOf(limits));
  await writeInPieces(draft, bytes, 4 * KIB);
  return draft;
}

/** The bytes that a close acknowledged stay in the spool: the parts after them do not. */
async function closedAndAppended(): Promise<Draft> {
  const draft = await newDraft(writerOf(limits));
  const closed = bytes.subarray(0, 40 * KIB);
  await writeInPieces(draft, closed, 4 * KIB);
  await draft.commit(forever);
  await writeInPieces(draft, bytes, 4 * KIB, closed.length);
  return draft;
}

async function read(draft: Draft, offset: number, sizeBytes: number, signal = forever): Promise<Buffer> {
  const { chunks, release } = await draft.read(offset, sizeBytes, signal);
  const read = Buffer.concat(chunks);
  release?.();
  return read;
}

describe('what is read of a file larger than the spool while that is closed', () => {
  it('comes from the file that its upload becomes', async () => {
    const { draft, published, complete } = await publishing(await largeDraft());
    const reading = read(draft, 0, 300 * KIB);
    complete();
    expect((await reading).equals(bytes)).toBe(true);
    await published;
  });

  it('is whole when it begins in the spool, and the upload becomes a file meanwhile', async () => {
    const { draft, published, complete } = await publishing(await closedAndAppended());
    const reading = read(draft, 8 * KIB, 200 * KIB);
    // Before the disk has answered.
    complete();
    expect((await reading).equals(bytes.subarray(8 * KIB, 208 * KIB))).toBe(true);
    await published;
  });

  it('is not there when the upload becomes no file, and there once that was tried again', async () => {
    const { draft, published, complete } = await publishing(await largeDraft());
    const refused = expect(read(draft, 0, 300 * KIB)).rejects.toThrow('(raise --spool-size)');
    complete(refusal(403, 8001));
    await expect(published).rejects.toThrow('8001');
    await refused;
    platform.on = () => {};
    await draft.publish(forever);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('holds nobody up who is interrupted', async () => {
    const { draft, published, complete } = await publishing(await largeDraft());
    const interrupted = new AbortController();
    const reading = read(draft, 0, 300 * KIB, interrupted.signal);
    interrupted.abort(new Error('interrupted'));
    await expect(reading).rejects.toThrow('interrupted');
    complete();
    await published;
  });
});
