import { beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../../../src/api/errors.ts';
import type { Capability } from '../../../../../src/api/model.ts';
import type { Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
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

const lost = new TransportError('connection lost', { call: 'complete' });

/** The next file is made, and answered when `then` resolves, by the end of the connection: nothing can be asked after that. */
function loseAnswer(then?: Promise<void>): void {
  platform.onMade = async () => {
    platform.onMade = () => {};
    await then;
    platform.on = (call) => {
      if (call === 'find' || call === 'reportedParts') throw lost;
    };
    throw lost;
  };
}

/** The outage is over when this returns. */
async function publishUnanswered(draft: Draft): Promise<void> {
  loseAnswer();
  await expect(draft.publish(forever)).rejects.toBe(lost);
  platform.on = () => {};
}

/** A file of that name must not exist yet. */
function newExclusive(): Promise<Draft> {
  return writerOf().draft({ target: { ...target, overwrite: false }, base: undefined, label: target.name });
}

const sent = (): number => platform.count('initialise') + platform.count('inline');

describe.each<{ how: string; capabilities: Capability[] }>([
  { how: 'in parts', capabilities: [] },
  { how: 'in one call', capabilities: ['upload_inline'] },
])('an upload $how that was done and had no answer', ({ capabilities }) => {
  beforeEach(() => {
    for (const capability of capabilities) platform.capabilities.add(capability);
  });

  it('makes no second file of the same bytes', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    await publishUnanswered(draft);
    const { id } = await draft.publish(forever);
    expect([...platform.files.keys()]).toEqual([id]);
    expect(sent()).toBe(1);
    expect(draft.dirty).toBe(false);
  });

  it('is the file of its name that must not have existed', async () => {
    const draft = await newExclusive();
    await draft.write(0, Buffer.from('hello'), forever);
    await publishUnanswered(draft);
    const { id } = await draft.publish(forever);
    expect([...platform.files.keys()]).toEqual([id]);
  });

  it('is not taken for that of what was changed since', async () => {
    const draft = await newExclusive();
    await draft.write(0, Buffer.from('hello'), forever);
    await publishUnanswered(draft);
    await draft.write(0, Buffer.from('j'), forever);
    await draft.publish(forever);
    expect(published()?.toString()).toBe('jello');
    expect(platform.files.size).toBe(1);
  });

  it('is replaced by what was appended since, though parts of that were sent before it was found', async () => {
    const draft = await newExclusive();
    await draft.write(0, Buffer.from('hello'), forever);
    await publishUnanswered(draft);
    for (const offset of [5, 105, 205]) await draft.write(offset, patterned(100), forever);
    await waitUntil(() => platform.count('put') > 0);
    await draft.publish(forever);
    const appended = [patterned(100), patterned(100), patterned(100)];
    expect(published()).toEqual(Buffer.concat([Buffer.from('hello'), ...appended]));
  });

  it('is not taken for that of what was changed in the next mount', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    await draft.commit(forever);
    const killed = new Gate();
    loseAnswer(killed.opened);
    const publication = expect(draft.publish(forever)).rejects.toBe(lost);
    await waitUntil(() => published() !== undefined);
    const [recovery] = await writerOf({ directory: await leftByKill() }).recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('it is not owed');
    const { draft: again } = recovery.outcome.owed;
    await again?.write(0, Buffer.from('j'), forever);
    await again?.publish(forever);
    expect(published()?.toString()).toBe('jello');
    killed.open();
    await publication;
  });

  describe('of a file that builds on more than --spool-size', () => {
    const sizeBytes = 300 * KIB;

    async function changedDraft(): Promise<Draft> {
      const { id: fileId } = platform.addFile(patterned(sizeBytes), { parent: 'folder', name: target.name });
      const writer = writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB });
      const draft = await newDraft(writer, { kind: 'file', fileId, sizeBytes });
      await draft.write(150 * KIB, Buffer.from('x'), forever);
      return draft;
    }

    it.each([
      ['changed', 20 * KIB],
      ['appended to', sizeBytes],
    ])('does not keep it from being %s', async (_, offset) => {
      const draft = await changedDraft();
      await publishUnanswered(draft);
      await draft.write(offset, Buffer.from('y'), forever);
      await draft.publish(forever);
      const bytes = Buffer.concat([patterned(sizeBytes), Buffer.alloc(1)]).subarray(0, draft.sizeBytes);
      bytes.write('x', 150 * KIB);
      bytes.write('y', offset);
      expect(published()?.equals(bytes)).toBe(true);
      expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    });
  });
});

describe('an upload in one call', () => {
  beforeEach(() => {
    platform.capabilities.add('upload_inline');
  });

  /** The call makes no file. */
  async function publishInVain(draft: Draft, failure: Error): Promise<void> {
    platform.on = () => {
      throw failure;
    };
    await expect(draft.publish(forever)).rejects.toBe(failure);
    platform.on = () => {};
  }

  it('that was done and had no answer is not taken for what was appended since, though the spool let go of that', async () => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
    const bytes = patterned(300 * KIB);
    await draft.write(0, bytes.subarray(0, 8 * KIB), forever);
    await publishUnanswered(draft);
    await writeInPieces(draft, bytes, 4 * KIB, 8 * KIB);
    await draft.unanswered();
    expect(platform.uploads.size).toBe(1);
    await expect(draft.read(20 * KIB, 1, forever)).rejects.toThrow('larger than the spool');
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
  });

  it('that had no answer and was not done is no file of the same size that another client made', async () => {
    const draft = await newExclusive();
    await draft.write(0, Buffer.from('hello'), forever);
    await publishInVain(draft, lost);
    platform.addFile(Buffer.from('their'), { parent: 'folder', name: target.name });
    await expect(draft.publish(forever)).rejects.toMatchObject({ code: 8005 });
    expect(published()?.toString()).toBe('their');
  });

  it('that had no answer and was larger than a piece of what is compared is found', async () => {
    const draft = await newDraft(writerOf({ partSizeBytes: 8 * KIB * KIB }));
    await draft.write(0, patterned(2500 * KIB), forever);
    await publishUnanswered(draft);
    await draft.publish(forever);
    expect(sent()).toBe(1);
  });

  it('that a gateway did not wait for is found', async () => {
    const draft = await newExclusive();
    await draft.write(0, Buffer.from('hello'), forever);
    const late = refusal(504, 0);
    platform.onMade = () => {
      platform.onMade = () => {};
      throw late;
    };
    await expect(draft.publish(forever)).rejects.toBe(late);
    await draft.publish(forever);
    expect(sent()).toBe(1);
  });

  it('that surely never got there is not looked for', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    const away = new TransportError('refused', { call: 'inline', mayHaveArrived: false });
    await publishInVain(draft, away);
    expect(await draft.unanswered()).toBeUndefined();
    expect(platform.count('find')).toBe(0);
  });
});
