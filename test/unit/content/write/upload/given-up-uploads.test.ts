/** An upload that becomes no file is given up at the service, which keeps what was sent of it until then. */
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ContentWriter, Draft } from '../../../../../src/content/ports.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import {
  directory,
  forever,
  newDraft,
  platform,
  published,
  target,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

async function halfSent(writer = writerOf()): Promise<Draft> {
  const draft = await newDraft(writer);
  await writeInPieces(draft, patterned(350), 50);
  await waitUntil(() => platform.count('put') >= 3);
  return draft;
}

/** The service is asked to give uploads up, and does it when the gate is opened. */
function slowToGiveUp(): Gate {
  const gate = new Gate();
  platform.on = (call) => (call === 'abort' ? gate.opened : undefined);
  return gate;
}

describe('while the service gives up its upload', () => {
  it('a draft is discarded', async () => {
    const draft = await halfSent();
    const gate = slowToGiveUp();
    await draft.discard();
    expect(await readdir(directory.name)).toEqual(['journal']);
    gate.open();
    await waitUntil(() => platform.uploads.size === 0);
  });

  it('a draft gets another name, and is published there', async () => {
    const draft = await halfSent();
    const gate = slowToGiveUp();
    await draft.retarget({ ...target, name: 'renamed' }, 'trial/renamed');
    await draft.publish(forever);
    gate.open();
    expect(published('renamed')).toEqual(patterned(350));
    await waitUntil(() => platform.uploads.size === 0);
    expect(published()).toBeUndefined();
  });

  it('a draft that was cut is published', async () => {
    const draft = await halfSent();
    const gate = slowToGiveUp();
    await draft.truncate(150, forever);
    await draft.publish(forever);
    gate.open();
    expect(published()).toEqual(patterned(150));
    await waitUntil(() => platform.uploads.size === 0);
  });
});

describe('a mount that ends', () => {
  interface Ending {
    readonly givesUp: Gate;
    isOver: boolean;
  }

  /** Just after a half-sent file was removed. */
  async function ending(writer: ContentWriter): Promise<Ending> {
    const draft = await halfSent(writer);
    const end = { givesUp: slowToGiveUp(), isOver: false };
    await draft.discard();
    void writer.close().then(() => {
      end.isOver = true;
    });
    return end;
  }

  it('waits until its last uploads are given up', async () => {
    const clock = new FakeClock();
    const end = await ending(writerOf({ clock }));
    await waitUntil(() => clock.sleeping > 0);
    expect(end.isOver).toBe(false);
    end.givesUp.open();
    await waitUntil(() => end.isOver);
    expect(platform.uploads.size).toBe(0);
  });

  it('waits for that no longer than two seconds', async () => {
    const clock = new FakeClock();
    const end = await ending(writerOf({ clock }));
    const beganMs = clock.monotonic();
    await waitUntil(async () => {
      await clock.advance(100);
      return end.isOver;
    });
    expect(clock.monotonic() - beganMs).toBeGreaterThanOrEqual(2000);
    end.givesUp.open();
  });
});

it('an upload that was just being begun is given up when its draft is discarded', async () => {
  const draft = await newDraft(writerOf());
  const begun = new Gate();
  platform.on = (call) => (call === 'initialise' ? begun.opened : undefined);
  await writeInPieces(draft, patterned(350), 50);
  await waitUntil(() => platform.count('initialise') === 1);
  const discarded = draft.discard();
  begun.open();
  await discarded;
  await waitUntil(() => platform.count('abort') === 1 && platform.uploads.size === 0);
});

it.each([507, 429])('an upload is given up later when the service answers %d now', async (status) => {
  const clock = new FakeClock();
  const draft = await halfSent(writerOf({ clock }));
  platform.on = (call) => {
    if (call === 'abort' && platform.count('abort') <= 2) throw refusal(status, 8000);
  };
  await draft.discard();
  await waitUntil(() => platform.count('abort') === 1);
  expect(platform.uploads.size).toBe(1);
  await clock.advance(10_000);
  expect(platform.count('abort')).toBe(3);
  expect(platform.uploads.size).toBe(0);
});

it('an upload that is gone is asked to be given up once', async () => {
  const clock = new FakeClock();
  const draft = await halfSent(writerOf({ clock }));
  platform.on = (call) => {
    if (call === 'abort') throw refusal(404, 8003);
  };
  await draft.discard();
  await waitUntil(() => platform.count('abort') === 1);
  await clock.advance(100_000);
  expect(platform.count('abort')).toBe(1);
});
