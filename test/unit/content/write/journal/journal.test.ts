import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ContentVersion } from '../../../../../src/content/ports.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import type { DraftState } from '../../../../../src/content/write/journal/journal-entry.ts';
import type { Extent, Origin } from '../../../../../src/content/write/spool/extent-map.ts';
import { draftState } from '../draft-state.ts';

let directory: { readonly name: string; removeCallback(): void };
beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
});
afterEach(() => directory.removeCallback());

const path = (): string => join(directory.name, 'journal');

function draft(id: string): DraftState {
  return draftState(id, {
    extents: [{ start: 0, end: 5, origin: { kind: 'local' } }],
    upload: { ticket: { uploadId: 'u', partSizeBytes: 5, parallel: true }, sizeBytes: undefined, parts: [] },
  });
}

async function reopened(): Promise<Journal> {
  return Journal.open(directory.name);
}

it('tells the next mount what is unfinished, with the parts that count', async () => {
  const journal = await reopened();
  journal.record({ type: 'draft', draft: draft('a') });
  journal.record({ type: 'draft', draft: draft('b') });
  journal.record({ type: 'part', id: 'a', uploadId: 'u', part: { partNumber: 1, etag: 'x', sizeBytes: 5 } });
  journal.record({ type: 'part', id: 'a', uploadId: 'u', part: { partNumber: 2, etag: 'y', sizeBytes: 5 } });
  journal.record({
    type: 'part',
    id: 'a',
    uploadId: 'old',
    part: { partNumber: 3, etag: 'z', sizeBytes: 5 },
  });
  journal.record({ type: 'stale', id: 'a', partNumber: 1 });
  journal.record({ type: 'end', id: 'b' });
  await journal.durable();
  const later = await reopened();
  expect(later.drafts.map(({ id }) => id)).toEqual(['a']);
  expect(later.drafts[0]?.upload?.parts).toEqual([{ partNumber: 2, etag: 'y', sizeBytes: 5 }]);
  await Promise.all([journal.close(), later.close()]);
});

it('cuts a damaged tail and goes on after the last whole line', async () => {
  const journal = await reopened();
  journal.record({ type: 'draft', draft: draft('a') });
  await journal.close();
  const whole = (await stat(path())).size;
  await appendFile(path(), 'deadbeef {"type":"end","id":"a"}\nhalf a li');
  const later = await reopened();
  expect(later.drafts).toHaveLength(1);
  expect((await stat(path())).size).toBe(whole);
  later.record({ type: 'draft', draft: draft('b') });
  await later.close();
  const last = await reopened();
  expect(last.drafts.map(({ id }) => id)).toEqual(['a', 'b']);
  await last.close();
});

it('survives being cut anywhere', async () => {
  const journal = await reopened();
  for (const id of ['a', 'b', 'c']) journal.record({ type: 'draft', draft: draft(id) });
  await journal.close();
  for (let size = (await stat(path())).size - 1; size >= 0; size -= 37) {
    await truncate(path(), size);
    const cut = await reopened();
    expect(['', 'a', 'a b']).toContain(cut.drafts.map(({ id }) => id).join(' '));
    await cut.close();
  }
});

it('has lines of any length', async () => {
  const journal = await reopened();
  const long = { ...draft('long'), bytes: 'x'.repeat(1024 * 1024) };
  for (const each of [draft('a'), long, draft('b')]) journal.record({ type: 'draft', draft: each });
  await journal.close();
  const later = await reopened();
  expect(later.drafts).toEqual([draft('a'), long, draft('b')]);
  await later.close();
});

/** Every second block is of the version that it began as. */
function fragments(count: number): Extent[] {
  const version: ContentVersion = { kind: 'file', fileId: 'f', sizeBytes: count * 4096 };
  return Array.from({ length: count }, (_, at) => {
    const start = at * 4096;
    const origin: Origin = at % 2 === 0 ? { kind: 'version', version, offset: start } : { kind: 'local' };
    return { start, end: start + 4096, origin };
  });
}

it('has few bytes for each piece of a draft that was written here and there', async () => {
  const journal = await reopened();
  const fragmented = { ...draft('a'), extents: fragments(100_000) };
  journal.record({ type: 'draft', draft: fragmented });
  await journal.close();
  expect((await stat(path())).size).toBeLessThan(12 * 100_000);
  const later = await reopened();
  expect(isDeepStrictEqual(later.drafts[0]?.extents, fragmented.extents)).toBe(true);
  await later.close();
});

it('reads lines whose extents are in full, as they were before', async () => {
  const old = { ...draft('a'), extents: fragments(3) };
  const json = JSON.stringify({ type: 'draft', draft: old });
  await writeFile(path(), `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
  const journal = await reopened();
  expect(journal.drafts).toEqual([old]);
  await journal.close();
});

it('does not grow for ever', async () => {
  const journal = await reopened();
  for (let round = 0; round < 8000; round += 1) {
    journal.record({ type: 'draft', draft: draft('a') });
    if (round % 1000 === 0) await journal.durable();
  }
  journal.record({ type: 'draft', draft: draft('b') });
  await journal.durable();
  expect((await stat(path())).size).toBeLessThan(2 * 1024 * 1024);
  await journal.close();
  const later = await reopened();
  expect(later.drafts).toEqual([draft('a'), draft('b')]);
  await later.close();
});

it('shares one write between all who wait for it', async () => {
  const journal = await reopened();
  const waits = ['a', 'b', 'c'].map((id) => {
    journal.record({ type: 'draft', draft: draft(id) });
    return journal.durable();
  });
  await Promise.all(waits);
  expect((await readFile(path(), 'utf8')).trimEnd().split('\n')).toHaveLength(3);
  await journal.close();
});
