/** Records that the journal calls durable are so, on a disk that fails. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { draftState } from '../draft-state.ts';
import { LossyDisk } from '../lossy-disk.ts';

let directory: { readonly name: string; removeCallback(): void };
let journal: Journal;
let disk: LossyDisk;

beforeEach(async () => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  journal = await Journal.open(directory.name);
  disk = await LossyDisk.below(directory.name);
});
afterEach(async () => {
  await journal.close();
  directory.removeCallback();
});

function recordDraft(id: string, bytes?: string): void {
  journal.record({ type: 'draft', draft: draftState(id, { bytes }) });
}

/** The drafts of a journal with these bytes. */
async function draftsIn(bytes: Buffer): Promise<readonly string[]> {
  const { name, removeCallback } = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  await writeFile(join(name, 'journal'), bytes);
  const opened = await Journal.open(name);
  const ids = opened.drafts.map(({ id }) => id);
  await opened.close();
  removeCallback();
  return ids;
}

it('what a failed fdatasync may have lost is not taken for durable when the next one succeeds', async () => {
  recordDraft('a');
  await journal.durable();
  recordDraft('b');
  disk.failures.datasync = 1;
  await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['a', 'b']);
  recordDraft('c');
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['a', 'b', 'c']);
  expect(disk.openFiles).toBe(1);
});

it('what a failed fdatasync may have lost is not taken for durable by the next process, which finds it in the page cache', async () => {
  recordDraft('a');
  disk.failures.datasync = 1;
  await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
  await journal.close();
  journal = await Journal.open(directory.name);
  recordDraft('b');
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['a', 'b']);
});

it('nothing is durable until the journal is written anew, and what is acknowledged then is there', async () => {
  recordDraft('a');
  disk.failures.datasync = 3;
  for (const id of ['b', 'c', 'd']) {
    await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
    recordDraft(id);
    expect(disk.openFiles).toBe(1);
  }
  expect(await readdir(directory.name)).toEqual(['journal']);
  journal.record({ type: 'end', id: 'b' });
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['a', 'c', 'd']);
});

it('who begins to wait while a write fails that nobody waited for is served by the next', async () => {
  const gate = new Gate();
  disk.before = gate.opened;
  disk.failures.datasync = 1;
  recordDraft('large', 'x'.repeat(2 * 1024 * 1024));
  await waitUntil(() => disk.syncs === 1);
  const durable = journal.durable();
  gate.open();
  await durable;
  expect(await draftsIn(disk.journal)).toEqual(['large']);
});

it('a failed compaction leaves no file open, and the journal as it was', async () => {
  recordDraft('a');
  await journal.durable();
  recordDraft('large', 'x'.repeat(2 * 1024 * 1024));
  disk.failures.datasync = 1;
  await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
  expect(disk.openFiles).toBe(1);
  expect(await readdir(directory.name)).toEqual(['journal']);
  expect(await draftsIn(disk.journal)).toEqual(['a']);
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['a', 'large']);
});

it('a compaction whose name is not durable goes on in the new file, and is not told to be durable', async () => {
  recordDraft('large', 'x'.repeat(2 * 1024 * 1024));
  disk.failures.directory = 1;
  await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
  recordDraft('a');
  await journal.close();
  const killed = await Journal.open(directory.name);
  expect(killed.drafts.map(({ id }) => id)).toEqual(['large', 'a']);
  journal = killed;
});

it('what such a compaction had is durable by the next fsync of the directory', async () => {
  recordDraft('large', 'x'.repeat(2 * 1024 * 1024));
  disk.failures.directory = 1;
  await expect(journal.durable()).rejects.toMatchObject({ code: 'EIO' });
  await journal.durable();
  expect(await draftsIn(disk.journal)).toEqual(['large']);
});
