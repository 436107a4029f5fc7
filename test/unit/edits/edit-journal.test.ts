import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Edit } from '../../../src/edits/edit.ts';
import { EditJournal, editsOwed } from '../../../src/edits/edit-journal.ts';

let directory: { readonly name: string; removeCallback(): void };
beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
});
afterEach(() => directory.removeCallback());

const path = (): string => join(directory.name, 'edits');
const { signal } = new AbortController();

function edit(id: string, file = `file-${id}`): Edit {
  const change = { metadata: { key: id }, dropped: ['old'], tags: undefined };
  return { id, file, label: `/projects/a/b/${file}`, place: `project:a/b/${file}`, atMs: 1, change };
}

async function idsAfterReopening(): Promise<readonly string[]> {
  const journal = await EditJournal.open(directory.name);
  await journal.close();
  return journal.edits.map(({ id }) => id);
}

it('tells the next mount what is owed, in its order', async () => {
  const journal = await EditJournal.open(directory.name);
  for (const id of ['a', 'b', 'c']) journal.add(edit(id));
  journal.end([edit('b')]);
  await journal.durable();
  // As after a kill: nothing closed it.
  expect(await idsAfterReopening()).toEqual(['a', 'c']);
  expect(await editsOwed(directory.name, signal)).toEqual([edit('a'), edit('c')]);
  await journal.close();
});

it('has after a crash at each byte what was whole by then', async () => {
  const journal = await EditJournal.open(directory.name);
  journal.add(edit('a'));
  journal.add(edit('b'));
  journal.end([edit('a')]);
  await journal.close();
  const bytes = await readFile(path());
  const lines = [0, 1, 2].map(
    (line) =>
      bytes
        .toString()
        .split('\n')
        .slice(0, line + 1)
        .join('\n').length + 1,
  );
  const [first = 0, second = 0, third = 0] = lines;
  for (let length = 0; length <= bytes.length; length += 1) {
    await writeFile(path(), bytes.subarray(0, length));
    const expected = length < first ? [] : length < second ? ['a'] : length < third ? ['a', 'b'] : ['b'];
    expect([length, await idsAfterReopening()]).toEqual([length, expected]);
  }
});

it('cuts a damaged tail, and goes on after the last whole line', async () => {
  const journal = await EditJournal.open(directory.name);
  journal.add(edit('a'));
  await journal.close();
  await appendFile(path(), 'deadbeef {"type":"end","ids":["a"]}\nhalf a li');
  const later = await EditJournal.open(directory.name);
  later.add(edit('b'));
  await later.close();
  expect(await idsAfterReopening()).toEqual(['a', 'b']);
});

it('remembers that we remove a file as long as something is owed to it', async () => {
  const journal = await EditJournal.open(directory.name);
  journal.add(edit('a', 'one'));
  journal.leaving(['one', 'two']);
  await journal.close();
  const later = await EditJournal.open(directory.name);
  expect(later.isLeaving('one')).toBe(true);
  later.staying(['one']);
  await later.close();
  const last = await EditJournal.open(directory.name);
  expect([last.isLeaving('one'), last.isLeaving('two')]).toEqual([false, false]);
  await last.close();
});
