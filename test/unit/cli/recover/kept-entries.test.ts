import { appendFile, chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drop, retry } from '../../../../src/cli/recover/deal-with-kept.ts';
import { keptInState } from '../../../../src/cli/recover/kept-entries.ts';
import { Journal } from '../../../../src/content/write/journal/journal.ts';
import { draftState } from '../../content/write/draft-state.ts';

let state: string;
let uploads: string;
beforeEach(async () => {
  state = join(await mkdtemp(join(tmpdir(), 'svcfs-kept-')), 'svcfs');
  uploads = join(state, 'mount\n-0123abcd', 'accounts', '4567cdef', 'uploads');
  await mkdir(join(uploads, 'recovered'), { recursive: true, mode: 0o700 });
  await writeFile(join(uploads, 'recovered', 'run.bam'), 'precious');
});
afterEach(() => rm(join(state, '..'), { recursive: true }));

it('finds what a journal tells of before it is damaged, and what was put aside beside it, and tells of that in one line', async () => {
  const journal = await Journal.open(uploads);
  journal.record({ type: 'draft', draft: draftState('before', { phase: 'publishing' }) });
  await journal.close();
  await appendFile(join(uploads, 'journal'), 'rubbish that is no line of a journal\n');
  const { entries, unreadable } = await keptInState(state);
  expect(entries.map(({ file }) => basename(file.label))).toEqual(['before', 'run.bam']);
  expect(unreadable).toEqual([expect.stringMatching(/^[^\n]*mount\\x0a[^\n]*: the journal is damaged/)]);
});

it('does not take a state directory that it cannot read for an empty one', async () => {
  const loop = join(state, '..', 'loop');
  await symlink(loop, loop);
  expect(await keptInState(loop)).toEqual({ entries: [], unreadable: [expect.stringContaining(loop)] });
  expect(await keptInState(join(state, 'nothing'))).toEqual({ entries: [], unreadable: [] });
});

it('changes nothing in state that others can write to', async () => {
  const { entries } = await keptInState(state);
  await chmod(state, 0o777);
  for (const entry of entries) {
    await expect(drop(entry)).rejects.toThrow('can be written by others: run chmod go-w');
    await expect(retry(entry)).rejects.toThrow('can be written by others');
  }
  expect(await readdir(join(uploads, 'recovered'))).toEqual(['run.bam']);
  await chmod(state, 0o700);
  for (const entry of entries) await drop(entry);
  expect(await readdir(join(uploads, 'recovered'))).toEqual([]);
});
