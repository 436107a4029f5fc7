import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import type { DraftState } from '../../../../../src/content/write/journal/journal-entry.ts';
import { filesOwed, type KeptFile } from '../../../../../src/content/write/kept/kept-files.ts';
import { saveKept } from '../../../../../src/content/write/kept/save-kept.ts';
import { bootId } from '../../../../../src/lib/boot-id.ts';
import { draftState } from '../draft-state.ts';

let directory: { readonly name: string; removeCallback(): void };
beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
});
afterEach(() => directory.removeCallback());

/** A closed file of five bytes that a mount left behind, as the next one finds it. */
async function found(spool: string, changes: Partial<DraftState>): Promise<KeptFile | undefined> {
  const extents = [{ start: 0, end: 5, origin: { kind: 'local' } }] as const;
  const journal = await Journal.open(directory.name);
  journal.record({ type: 'draft', draft: draftState('a', { phase: 'publishing', extents, ...changes }) });
  await journal.close();
  await writeFile(join(directory.name, 'a.spool'), spool);
  const signal = AbortSignal.timeout(5000);
  const [file] = await filesOwed(directory.name, { signal, served: false, onDamage: () => expect.fail() });
  return file;
}

it('tells of what waits that its spool was cut short, or need not be on the disk', async () => {
  expect(await found('he', { onDisk: true })).toMatchObject({
    state: 'waiting',
    sizeBytes: 5,
    missing: expect.stringContaining('2 of 5 bytes are left'),
  });
  expect(await found('hello', { bootId: 'of another run' })).toMatchObject({
    missing: expect.stringContaining('some may be zeros'),
  });
});

it('names what was neither closed nor synced, and a spool that the journal does not know, before the next mount', async () => {
  await writeFile(join(directory.name, 'b.spool'), 'lost');
  await writeFile(join(directory.name, 'c.spool'), '');
  expect(await found('hello', { phase: 'open', extents: [], label: '/one/a' })).toMatchObject({
    state: 'unclosed',
    label: '/one/a',
    sizeBytes: 5,
    path: join(directory.name, 'a.spool'),
  });
  const look = { signal: AbortSignal.timeout(5000), onDamage: () => expect.fail() };
  const [, unknown, ...others] = await filesOwed(directory.name, { ...look, served: false });
  expect(unknown).toMatchObject({ id: 'b', state: 'unclosed', label: 'b.spool', sizeBytes: 4 });
  expect(others).toEqual([]);
  expect(await filesOwed(directory.name, { ...look, served: true })).toEqual([]);
});

it('takes for whole what is on the disk, in the journal, or of this run of the machine', async () => {
  const bytes = Buffer.from('hello').toString('base64');
  const closed = { phase: 'open', closed: { sizeBytes: 5 } } as const;
  const whole = [{ onDisk: true }, { bootId: await bootId() }, { bytes }, closed];
  for (const changes of whole)
    expect(await found('hello', changes), JSON.stringify(changes)).toMatchObject({ missing: undefined });
  expect(await found('', { bytes })).toMatchObject({ bytes, missing: undefined });
});

it('is saved in the place of another file, however long the name of that is', async () => {
  const name = '名'.repeat(85);
  const to = join(directory.name, name);
  await writeFile(to, 'other');
  const kept = { path: undefined, bytes: Buffer.from('hello').toString('base64'), sizeBytes: 5 };
  await saveKept(kept, to, { replace: true });
  expect(await readFile(to, 'utf8')).toBe('hello');
  expect(await readdir(directory.name)).toEqual([name]);
  await expect(saveKept(kept, to, { replace: false })).rejects.toMatchObject({ code: 'EEXIST' });
});
