/** A spool file, or its directory, that the system refuses to open for a moment. */
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { syncDirectory } from '../../../../../src/lib/sync.ts';
import { patterned } from '../../fake-platform.ts';
import { BECAUSE, bytesOf, directory, forever, newDraft, published, writerOf } from '../draft-world.ts';

vi.mock('../../../../../src/lib/sync.ts', { spy: true });

const tooMany = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });

/** The next spool file is not opened. */
function refuseFile(): void {
  vi.spyOn(SpoolFile, 'open').mockRejectedValueOnce(tooMany);
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('is opened by the next write, and the draft is whole', async () => {
  refuseFile();
  const draft = await newDraft(writerOf());
  await expect(draft.write(0, patterned(250), forever)).rejects.toBe(tooMany);
  await draft.write(0, patterned(250), forever);
  expect(await bytesOf(draft)).toEqual(patterned(250));
  await draft.sync(forever);
  await draft.publish(forever);
  expect(published()).toEqual(patterned(250));
});

it('is no hindrance to a draft that is given up', async () => {
  refuseFile();
  const draft = await newDraft(writerOf());
  await expect(draft.write(0, patterned(250), forever)).rejects.toBe(tooMany);
  await draft.discard();
  expect(await readdir(directory.name)).toEqual(['journal']);
});

it('is kept aside though its name cannot be made durable, and stays open no longer', async () => {
  const writer = writerOf();
  const draft = await newDraft(writer);
  await draft.write(0, patterned(250), forever);
  vi.mocked(syncDirectory).mockRejectedValueOnce(tooMany);
  const kept = await draft.keep(BECAUSE);
  expect(await readFile(kept?.path ?? '')).toEqual(patterned(250));
  expect(writer.spool().usedBytes).toBe(0);
});
