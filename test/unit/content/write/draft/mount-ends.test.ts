import { afterEach, expect, it, vi } from 'vitest';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { forever, newDraft, writerOf } from '../draft-world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('the journal is on the disk when the mount ends, though a spool cannot be closed', async () => {
  const writer = writerOf();
  for (const name of ['one', 'other'])
    await (await newDraft(writer, undefined, name)).write(0, Buffer.from(name), forever);
  const durable = vi.spyOn(Journal.prototype, 'durable');
  const closed = vi.spyOn(Journal.prototype, 'close');
  vi.spyOn(SpoolFile.prototype, 'close').mockRejectedValueOnce(new Error('EIO: close'));
  await expect(writer.close()).rejects.toThrow('EIO: close');
  expect(durable).toHaveBeenCalled();
  expect(closed).toHaveBeenCalled();
});
