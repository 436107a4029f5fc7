/** A spool file that the system refuses to open for a moment. */
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SpoolFile } from '../../../src/content/write/spool/spool-file.ts';
import { bytesOf, directory, forever, newDraft, published, writerOf } from './draft-world.ts';
import { patterned } from './fake-platform.ts';

const tooMany = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });

beforeEach(() => {
  vi.spyOn(SpoolFile, 'open').mockRejectedValueOnce(tooMany);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('is opened by the next write, and the draft is whole', async () => {
  const draft = await newDraft(writerOf());
  await expect(draft.write(0, patterned(250), forever)).rejects.toBe(tooMany);
  await draft.write(0, patterned(250), forever);
  expect(await bytesOf(draft)).toEqual(patterned(250));
  await draft.sync(forever);
  await draft.publish(forever);
  expect(published()).toEqual(patterned(250));
});

it('is no hindrance to a draft that is given up', async () => {
  const draft = await newDraft(writerOf());
  await expect(draft.write(0, patterned(250), forever)).rejects.toBe(tooMany);
  await draft.discard();
  expect(await readdir(directory.name)).toEqual(['journal']);
});
