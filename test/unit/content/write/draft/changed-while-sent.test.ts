/** A file that is closed, and changed while its bytes are on their way: the close has them as they were. */
import { beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../../../../src/api/errors.ts';
import type { Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import { bytesOf, forever, newDraft, platform, published, writerOf } from '../draft-world.ts';

const bytes = patterned(300);
const other = patterned(120, 2);

async function copyInto(draft: Draft, offset: number): Promise<void> {
  const { id: fileId, sizeBytes } = platform.addFile(other);
  await draft.copyFrom({ kind: 'file', fileId, sizeBytes }, 0, { offset, length: sizeBytes }, forever);
}

const CHANGES: readonly [string, (draft: Draft) => Promise<unknown>][] = [
  ['emptied', (draft) => draft.truncate(0, forever)],
  ['cut', (draft) => draft.truncate(150, forever)],
  ['written in place', (draft) => draft.write(100, other, forever)],
  ['written in place and beyond its end', (draft) => draft.write(250, other, forever)],
  ['copied into', (draft) => copyInto(draft, 100)],
  ['copied into, and beyond its end', (draft) => copyInto(draft, 250)],
];

let sending: Gate;
beforeEach(() => {
  sending = new Gate();
});

/** Parts go one by one, and the first is on its way. */
async function closing(): Promise<{ readonly draft: Draft; readonly closed: Promise<unknown> }> {
  const draft = await newDraft(writerOf({ partsInFlight: 1 }));
  platform.on = (call) => (call === 'put 1' ? sending.opened : undefined);
  await draft.write(0, bytes, forever);
  const closed = draft.publish(forever);
  await waitUntil(() => platform.count('put') === 1);
  return { draft, closed };
}

/** It is small, and waits for its turn behind another. */
async function closingInOneCall(): Promise<{ readonly draft: Draft; readonly closed: Promise<unknown> }> {
  platform.capabilities.add('upload_inline');
  platform.on = (call) => (call === 'inline' ? sending.opened : undefined);
  const writer = writerOf({ partsInFlight: 1 });
  const first = await newDraft(writer, undefined, 'first');
  await first.write(0, Buffer.from('first'), forever);
  void first.publish(forever);
  await waitUntil(() => platform.count('inline') === 1);
  const draft = await newDraft(writer);
  await draft.write(0, bytes, forever);
  const closed = draft.publish(forever);
  // The capabilities are known, and the turn is asked for.
  await new Promise((resolve) => setImmediate(resolve));
  return { draft, closed };
}

/** Changes that wait for nothing but their turn are made. */
async function turnsTaken(draft: Draft): Promise<void> {
  // A write asks for room before it asks for its turn.
  await draft.sync(forever);
  await draft.sync(forever);
}

describe.each([
  ['in parts', closing],
  ['in one call', closingInOneCall],
])('what is sent of a file %s is not half of it and half of what comes after, when it is', (_, begin) => {
  it.each(CHANGES)('%s', async (_, change) => {
    const { draft, closed } = await begin();
    const changed = change(draft);
    await turnsTaken(draft);
    sending.open();
    await closed;
    expect(published()).toEqual(bytes);
    await changed;
    const now = await bytesOf(draft);
    expect(now).not.toEqual(bytes);
    await draft.publish(forever);
    expect(published()).toEqual(now);
  });
});

describe('a file that is being sent', () => {
  it('is appended to without waiting, and what was appended is changed again', async () => {
    const { draft, closed } = await closing();
    await draft.write(300, other, forever);
    await draft.write(310, Buffer.from('more'), forever);
    await draft.truncate(400, forever);
    sending.open();
    await closed;
    expect(published()).toEqual(bytes);
    await draft.publish(forever);
    expect(published()).toEqual(await bytesOf(draft));
  });

  it('is read, and made durable, while a writer waits for it', async () => {
    const { draft, closed } = await closing();
    const changed = draft.truncate(0, forever);
    await draft.sync(forever);
    expect(await bytesOf(draft)).toEqual(bytes);
    sending.open();
    await Promise.all([closed, changed]);
  });

  it('holds nobody up who is interrupted, and is as it was then', async () => {
    const { draft, closed } = await closing();
    const interrupted = new AbortController();
    const changed = draft.write(0, other, interrupted.signal);
    interrupted.abort(new Error('interrupted'));
    await expect(changed).rejects.toThrow('interrupted');
    sending.open();
    await closed;
    expect(draft.dirty).toBe(false);
    expect(await bytesOf(draft)).toEqual(bytes);
  });

  it('holds nobody up any more once that has failed', async () => {
    const { draft, closed } = await closing();
    platform.on = () => {
      throw new StorageError('failed', 'the store is away');
    };
    const changed = draft.truncate(0, forever);
    const failed = expect(closed).rejects.toThrow('the store is away');
    sending.open();
    await failed;
    await changed;
    platform.on = () => {};
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.alloc(0));
  });

  it('has room for a writer of it when the spool is full', async () => {
    const draft = await newDraft(writerOf({ partsInFlight: 1, spoolSizeBytes: 300 }));
    platform.on = (call) => (call === 'put 1' ? sending.opened : undefined);
    await draft.write(0, bytes, forever);
    const closed = draft.publish(forever);
    await waitUntil(() => platform.count('put') === 1);
    const changed = draft.write(250, other, forever);
    sending.open();
    await closed;
    expect(published()).toEqual(bytes);
    await changed;
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.concat([bytes.subarray(0, 250), other]));
  });

  it('is copied into, beyond its end, just before that or not before it is sent', async () => {
    const writer = writerOf({ partsInFlight: 1 });
    for (let moment = 0; moment < 40; moment += 1) {
      const draft = await newDraft(writer, undefined, `copied-${moment}`);
      await draft.write(0, bytes, forever);
      const closed = draft.publish(forever);
      for (let tick = 0; tick < moment; tick += 1) await Promise.resolve();
      await copyInto(draft, 250);
      const copied = await bytesOf(draft);
      await closed;
      expect([bytes, copied]).toContainEqual(published(`copied-${moment}`));
    }
  });

  it('is as it is written all the time, at some moment, each time that it is closed', async () => {
    const draft = await newDraft(writerOf({ partsInFlight: 1 }));
    await draft.write(0, Buffer.alloc(300, 1), forever);
    let ended = false;
    const writing = (async () => {
      for (let value = 2; !ended; value = (value % 250) + 1)
        await draft.write(0, Buffer.alloc(300, value), forever);
    })();
    for (let count = 0; count < 5; count += 1) {
      await draft.publish(forever);
      expect(new Set(published()).size).toBe(1);
    }
    ended = true;
    await writing;
  });
});
