import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../../src/api/errors.ts';
import { largerPartSize } from '../../../../../src/content/write/parts/preferred-part-size.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import {
  forever,
  MIB,
  newDraft,
  platform,
  published,
  target,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

describe('parts', () => {
  it('are sent while the file is being written, several at once', async () => {
    const draft = await newDraft(writerOf());
    const bytes = patterned(2050);
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    platform.on = (call) => (call.startsWith('put') ? gate : undefined);
    await writeInPieces(draft, bytes, 70);
    await waitUntil(() => platform.putsInFlight === 16);
    open();
    await waitUntil(() => platform.count('put') === 20);
    expect(platform.mostPutsInFlight).toBe(16);
    await draft.publish(forever);
    expect(published()).toEqual(bytes);
    expect(platform.count('put')).toBe(21);
  });

  it('have their links ahead of their turns, half as many as are in flight', async () => {
    const draft = await newDraft(writerOf({ partsInFlight: 2 }));
    const gate = new Gate();
    platform.on = (call) => (call.startsWith('put') ? gate.opened : undefined);
    await draft.write(0, patterned(1000), forever);
    await waitUntil(() => platform.putsInFlight === 2 && platform.count('partUrl') === 3);
    gate.open();
    await draft.publish(forever);
    expect(published()).toEqual(patterned(1000));
    expect(platform.mostPutsInFlight).toBe(2);
    expect(platform.count('partUrl')).toBe(platform.count('put'));
  });

  it('count what has left this machine, before they have arrived', async () => {
    const writer = writerOf();
    const draft = await newDraft(writer);
    const gate = new Gate();
    platform.on = (call) => (call === 'put 2' ? gate.opened : undefined);
    platform.sentOfParts.set(2, 30);
    await draft.write(0, patterned(200), forever);
    const published = draft.publish(forever);
    await waitUntil(() => writer.uploads()[0]?.storedBytes === 100);
    expect(writer.uploads()).toMatchObject([{ storedBytes: 100, sentBytes: 130, sizeBytes: 200 }]);
    gate.open();
    await published;
  });

  it('wait for their turn without a word in the log, however many', async () => {
    const draft = await newDraft(writerOf());
    const warnings: string[] = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warn);
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    platform.on = (call) => (call.startsWith('put') ? gate : undefined);
    await draft.write(0, patterned(2050), new AbortController().signal);
    await waitUntil(() => platform.putsInFlight === 16);
    open();
    await draft.publish(new AbortController().signal);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('that could not go early are no failure of a file that was published since', async () => {
    const draft = await newDraft(writerOf());
    const gate = new Gate();
    platform.on = async (call) => {
      if (call !== 'initialise' || platform.count('initialise') > 1) return;
      await gate.opened;
      throw refusal(500, 0);
    };
    await writeInPieces(draft, patterned(1000), 70);
    const publishing = draft.publish(forever);
    gate.open();
    await publishing;
    expect(published()).toEqual(patterned(1000));
    await draft.sync(forever);
  });

  it('that went early, were changed, and failed are no failure of a file that was published since', async () => {
    const writer = writerOf();
    const draft = await newDraft(writer);
    const gate = new Gate();
    platform.on = async (call) => {
      if (call !== 'put 1' || platform.count('put') > 1) return;
      await gate.opened;
      throw refusal(500, 0);
    };
    await writeInPieces(draft, patterned(150), 50);
    await waitUntil(() => platform.putsInFlight === 1);
    await draft.write(0, patterned(150, 2), forever);
    const publishing = draft.publish(forever);
    gate.open();
    await publishing;
    expect(published()).toEqual(patterned(150, 2));
    await draft.sync(forever);
    expect(writer.uploads()).toEqual([]);
  });

  it('are up to four times as large for a file that is begun while requests are short', async () => {
    const writer = writerOf();
    const before = await newDraft(writer, undefined, 'before');
    await before.write(0, patterned(1000), forever);
    await waitUntil(() => ['put 3', 'put 4'].every((call) => platform.calls.includes(call)));
    platform.hasRoom = false;
    const draft = await newDraft(writer);
    await draft.write(0, patterned(1000), forever);
    await draft.publish(forever);
    expect(published()).toEqual(patterned(1000));
    expect([...platform.uploads.values()].map(({ partSizeBytes }) => partSizeBytes)).toEqual([100]);
    expect(platform.calls.filter((call) => call.startsWith('put 3'))).toHaveLength(2);
    expect(platform.calls.filter((call) => call.startsWith('put 4'))).toHaveLength(1);
  });

  it.each([
    [400, 'at most', { memoryBytes: 64 * MIB, spoolSizeBytes: undefined }],
    [200, 'as memory has room for', { memoryBytes: 3200, spoolSizeBytes: undefined }],
    [100, 'as memory has room for', { memoryBytes: 3199, spoolSizeBytes: undefined }],
    [100, 'in a spool of limited size', { memoryBytes: 64 * MIB, spoolSizeBytes: 10_000 }],
  ])('are of %i bytes for 100 then, %s', (sizeBytes, _, { memoryBytes, spoolSizeBytes }) => {
    const memory = { limitBytes: memoryBytes };
    expect(largerPartSize(100, { memory, spoolSizeBytes })).toBe(sizeBytes);
  });

  it('are larger in an upload that begins anew, when a stream outgrows 10,000 of them', async () => {
    const draft = await newDraft(writerOf());
    const bytes = patterned(10_100 * 100);
    await writeInPieces(draft, bytes, 20_000);
    await waitUntil(() => platform.count('initialise') === 2 && platform.count('abort') === 1);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect(platform.count('initialise')).toBe(2);
  });

  it('go one at a time where the service asks for that', async () => {
    platform.parallel = false;
    const draft = await newDraft(writerOf());
    await draft.write(0, patterned(1000), forever);
    platform.on = (call) =>
      call.startsWith('put') ? new Promise((resolve) => setImmediate(resolve)) : undefined;
    await draft.publish(forever);
    expect(platform.mostPutsInFlight).toBe(1);
    expect(published()).toEqual(patterned(1000));
  });

  it('have the size that the service answers, not the one asked for', async () => {
    platform.partSizeBytes = 64;
    const draft = await newDraft(writerOf());
    await writeInPieces(draft, patterned(500), 30);
    await draft.publish(forever);
    expect(published()).toEqual(patterned(500));
  });

  it('are not sent when the service asks for sizes of which the file is more than 10,000', async () => {
    platform.partSizeBytes = 1;
    const draft = await newDraft(writerOf());
    await draft.write(0, patterned(10_001), forever);
    await expect(draft.publish(forever)).rejects.toThrow('the service asks for parts of 1 bytes');
    await waitUntil(() => platform.uploads.size === 0);
    platform.partSizeBytes = undefined;
    await draft.publish(forever);
    expect(published()).toEqual(patterned(10_001));
  });

  it('are sent again when they arrive damaged', async () => {
    const bytes = patterned(250);
    const draft = await newDraft(writerOf());
    platform.damaged.add(2);
    await draft.write(0, bytes, forever);
    await draft.publish(forever);
    expect(published()).toEqual(bytes);
    expect(platform.calls.filter((call) => call === 'put 2')).toHaveLength(2);
  });

  it('are sent again, a few times, when the service does not know them as the store answered', async () => {
    const bytes = patterned(1250);
    const draft = await newDraft(writerOf());
    platform.mistaken.add(2).add(11);
    await draft.write(0, bytes, forever);
    await draft.publish(forever);
    expect(published()).toEqual(bytes);
    expect(platform.count('put')).toBe(13 + 2);
    platform.on = (call) => void (call === 'put 2' && platform.mistaken.add(2));
    await draft.write(0, Buffer.from('again'), forever);
    await expect(draft.publish(forever)).rejects.toMatchObject({
      name: 'ContentError',
      message: 'the service refuses a part as the store took it (2): code 8014',
    });
    expect(published()).toEqual(bytes);
  });

  it('are sent again when they changed after they were sent', async () => {
    const draft = await newDraft(writerOf());
    const bytes = patterned(450);
    await writeInPieces(draft, bytes, 50);
    await waitUntil(() => platform.count('put') >= 3);
    await draft.write(10, Buffer.from('header'), forever);
    bytes.write('header', 10);
    await draft.publish(forever);
    expect(published()).toEqual(bytes);
    expect(platform.calls.filter((call) => call === 'put 1')).toHaveLength(2);
    expect(platform.calls.filter((call) => call === 'put 2')).toHaveLength(1);
  });

  it('are sent again when they changed while they were on the way', async () => {
    const draft = await newDraft(writerOf());
    let go = (): void => {};
    platform.on = (call) => (call === 'put 1' ? new Promise((resolve) => (go = resolve)) : undefined);
    const bytes = patterned(150);
    await writeInPieces(draft, bytes, 50);
    await waitUntil(() => platform.count('put') === 1);
    await draft.write(0, Buffer.from('late'), forever);
    bytes.write('late');
    const publication = draft.publish(forever);
    platform.on = () => {};
    go();
    await publication;
    expect(published()).toEqual(bytes);
  });

  it('beyond the end of a file that was cut are not in it', async () => {
    const draft = await newDraft(writerOf());
    await writeInPieces(draft, patterned(450), 50);
    await waitUntil(() => platform.count('put') >= 4);
    await draft.truncate(120, forever);
    await draft.publish(forever);
    expect(published()).toEqual(patterned(120));
  });

  it('do not become part of a file that was cut before them, though the store never answered for them', async () => {
    const { storage } = platform;
    const putPart: typeof storage.putPart = async (...part) => {
      const stored = await storage.putPart(...part);
      if (part[0].url.endsWith('/3')) throw new StorageError('failed', 'the answer was lost');
      return stored;
    };
    const draft = await newDraft(writerOf({ storage: { ...storage, putPart } }));
    const bytes = patterned(300);
    await writeInPieces(draft, bytes, 70);
    await expect(draft.publish(forever)).rejects.toThrow('the answer was lost');
    await draft.truncate(150, forever);
    await draft.publish(forever);
    expect(published()).toEqual(bytes.subarray(0, 150));
  });

  it('go to another upload when the service has swept theirs: no fsync fails for that', async () => {
    const draft = await newDraft(writerOf());
    const bytes = patterned(650);
    await writeInPieces(draft, bytes.subarray(0, 300), 50);
    await waitUntil(() => platform.count('put') === 2 && platform.putsInFlight === 0);
    platform.uploads.clear();
    await writeInPieces(draft, bytes, 50, 300);
    await waitUntil(() => platform.uploads.size === 1 && platform.count('put') >= 8);
    await draft.sync(forever);
    await draft.publish(forever);
    expect(published()).toEqual(bytes);
  });

  it('of two files take turns', async () => {
    const writer = writerOf({ partsInFlight: 1 });
    const [one, two] = await Promise.all([
      newDraft(writer, undefined, 'one'),
      newDraft(writer, undefined, 'two'),
    ]);
    let go = (): void => {};
    platform.on = (call) => (call === 'put 1' ? new Promise((resolve) => (go = resolve)) : undefined);
    await one.write(0, patterned(1000), forever);
    await two.write(0, patterned(100), forever);
    const first = one.publish(forever);
    await waitUntil(() => platform.putsInFlight === 1);
    const second = two.publish(forever);
    await waitUntil(() => platform.count('initialise') === 2);
    platform.on = () => {};
    go();
    await second;
    expect(platform.count('put')).toBeLessThan(6);
    await first;
  });

  it('leave the queue at once when their file is given up', async () => {
    const writer = writerOf({ partsInFlight: 1 });
    const [one, two] = await Promise.all([newDraft(writer, undefined, 'one'), newDraft(writer)]);
    let go = (): void => {};
    platform.on = (call) => (call === 'put 1' ? new Promise((resolve) => (go = resolve)) : undefined);
    await one.write(0, patterned(100), forever);
    const first = one.publish(forever);
    await waitUntil(() => platform.putsInFlight === 1);
    await two.write(0, patterned(300), forever);
    const second = two.publish(forever);
    await waitUntil(() => platform.count('initialise') === 2);
    await Promise.all([two.discard(), expect(second).rejects.toThrow('discarded')]);
    go();
    await first;
    expect(platform.count('put')).toBe(1);
  });

  it('are put on report in batches while a long file is being written', async () => {
    const draft = await newDraft(writerOf());
    await writeInPieces(draft, patterned(4000), 100);
    await waitUntil(() => platform.count('report') === 1);
    await draft.publish(forever);
    expect(published()).toEqual(patterned(4000));
  });

  it('are reported by the completion when their batch still waits for its turn', async () => {
    const draft = await newDraft(writerOf());
    platform.on = (call) => (call === 'report' ? new Gate().opened : undefined);
    await writeInPieces(draft, patterned(4000), 100);
    await waitUntil(() => platform.count('report') === 1);
    await draft.publish(forever);
    expect(published()).toEqual(patterned(4000));
  });

  it('are reported by the completion alone when they are the last', async () => {
    const draft = await newDraft(writerOf());
    const gate = new Gate();
    platform.on = (call) => (call.startsWith('put') && Number(call.slice(4)) > 30 ? gate.opened : undefined);
    await writeInPieces(draft, patterned(4000), 100);
    const publication = draft.publish(forever);
    await waitUntil(() => platform.calls.includes('put 40'));
    gate.open();
    await publication;
    expect(platform.count('report')).toBe(0);
    expect(published()).toEqual(patterned(4000));
  });

  it('are reported in batches after the close of a file, too, while many more are to come', async () => {
    const draft = await newDraft(writerOf({ partsInFlight: 1 }));
    const gate = new Gate();
    platform.on = (call) => (call.startsWith('put') ? gate.opened : undefined);
    await writeInPieces(draft, patterned(10_000), 100);
    const publication = draft.publish(forever);
    gate.open();
    await publication;
    expect(platform.count('report')).toBe(2);
    expect(published()).toEqual(patterned(10_000));
  });

  it('of an upload that is given up are sent no more, before the service is told', async () => {
    const draft = await newDraft(writerOf({ partsInFlight: 1 }));
    const [first, told] = [new Gate(), new Gate()];
    platform.on = (call) => {
      if (call === 'put 1') return first.opened;
      return call === 'abort' ? told.opened : undefined;
    };
    await writeInPieces(draft, patterned(350), 50);
    await waitUntil(() => platform.putsInFlight === 1);
    await draft.retarget({ ...target, name: 'renamed' }, 'trial/renamed');
    first.open();
    await draft.publish(forever);
    told.open();
    expect(published('renamed')).toEqual(patterned(350));
    const puts = platform.calls.filter((call) => call.startsWith('put'));
    expect(puts).toEqual(['put 1', 'put 1', 'put 2', 'put 3', 'put 4']);
  });
});
