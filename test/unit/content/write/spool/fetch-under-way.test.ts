/** The version that a draft builds on is being fetched into its spool, which held nothing before. */
import { afterEach, expect, it, vi } from 'vitest';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import { forever, leftByKill, MIB, newDraft, platform, writerOf } from '../draft-world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The second write of the bytes that are fetched waits for it. */
function holdSecondPiece(): Gate {
  const gate = new Gate();
  const { writeAll } = SpoolFile.prototype;
  vi.spyOn(SpoolFile.prototype, 'writeAll')
    .mockImplementationOnce(writeAll)
    .mockImplementationOnce(async function (this: SpoolFile, ...to) {
      await gate.opened;
      return writeAll.apply(this, to);
    });
  return gate;
}

it('what is there of it is not taken for durable by a later run of the machine', async () => {
  const { id: fileId, sizeBytes } = platform.addFile(patterned(2 * MIB));
  const writer = writerOf({ partSizeBytes: sizeBytes, bootId: 'first' });
  const draft = await newDraft(writer);
  await draft.copyFrom({ kind: 'file', fileId, sizeBytes }, 0, { offset: 0, length: sizeBytes }, forever);
  const gate = holdSecondPiece();
  const publishing = draft.publish(forever);
  await waitUntil(() => vi.mocked(SpoolFile.prototype.writeAll).mock.calls.length === 2);
  await draft.annotate({ metadata: { sample: 'a' }, tags: undefined });
  await (await newDraft(writer, undefined, 'another.bam')).sync(forever);
  const left = await leftByKill();
  gate.open();
  await publishing;
  const [recovery] = await writerOf({ directory: left, bootId: 'later' }).recover();
  expect(recovery?.outcome).toMatchObject({
    kind: 'kept',
    reason: expect.stringContaining('some may be zeros'),
  });
});
