import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../src/api/api.ts';
import { ApiError, TransportError } from '../../../src/api/errors.ts';
import type { BulkResult, EntryRecord, FileRecord } from '../../../src/api/model.ts';
import type { FileChange } from '../../../src/content/ports.ts';
import { OwedEdits } from '../../../src/edits/owed-edits.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { waitUntil } from '../../support/wait-until.ts';

const FOLD_MS = 1000;

let directory: { readonly name: string; removeCallback(): void };
let clock: FakeClock;
let edits: OwedEdits;
let calls: (readonly [string, readonly FileEdit[]])[];
/** The failure of a call, or of one file; undefined: done. */
let failure: (items: readonly FileEdit[]) => Error | undefined;
let refusal: (item: FileEdit) => { readonly status: number } | undefined;
let told: string[];

beforeEach(async () => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  clock = new FakeClock();
  calls = [];
  told = [];
  failure = () => undefined;
  refusal = () => undefined;
  edits = await open();
});
afterEach(async () => {
  await edits.close();
  directory.removeCallback();
});

async function open(): Promise<OwedEdits> {
  const answer = (call: string) => async (items: readonly FileEdit[]) => {
    calls.push([call, items]);
    const error = failure(items);
    if (error) throw error;
    return items.map((item): BulkResult<EntryRecord> => {
      const refused = refusal(item);
      if (refused) return { ok: false, failure: { ...refused, code: 0, message: 'no' } };
      return { ok: true, value: record(item.id, item) };
    });
  };
  const bulkGet = async (ids: readonly string[]) => {
    calls.push(['get', ids.map((id) => ({ id }))]);
    return ids.map((id) => ({
      ok: true as const,
      value: record(id, { metadata: { old: '1', other: '2' } }),
    }));
  };
  const files = { bulkGet, bulkEdit: answer('edit'), bulkUpdate: answer('update') };
  const opened = await OwedEdits.open({
    api: { files },
    clock,
    directory: directory.name,
    follow: true,
    foldMs: FOLD_MS,
  });
  opened.begin({
    sent: (sent) => void told.push(...sent.map(({ id }) => `sent ${id}`)),
    refused: ({ file }, { status }) => void told.push(`refused ${file} ${status}`),
    failed: ({ file }) => void told.push(`failed ${file}`),
  });
  return opened;
}

function record(id: string, { metadata = {}, tags = [] }: Partial<FileEdit>): FileRecord {
  return { kind: 'file', id, metadata, tags } as unknown as FileRecord;
}

function add(file: string, change: Partial<FileChange>): Promise<void> {
  const whole = { metadata: {}, dropped: [], tags: undefined, ...change };
  return edits.add({ file, label: `/projects/a/b/${file}`, place: `project:a/b/${file}` }, whole);
}

const all = (): Promise<void> => edits.settle(() => true);
const sizes = (): readonly (readonly [string, number])[] =>
  calls.map(([call, items]) => [call, items.length]);

describe('changes of metadata that follow their calls', () => {
  it('are sent as one a file when none came for a second', async () => {
    await add('f', { metadata: { a: '1' } });
    await clock.advance(FOLD_MS - 1);
    await add('f', { metadata: { a: '2', b: '3' }, tags: ['x'] });
    await clock.advance(FOLD_MS - 1);
    expect(calls).toEqual([]);
    await clock.advance(1);
    await waitUntil(() => edits.waiting.length === 0);
    expect(calls).toEqual([['edit', [{ id: 'f', metadata: { a: '2', b: '3' }, tags: ['x'] }]]]);
  });

  it('are sent after two seconds, though others come all the time', async () => {
    for (let ms = 0; ms < 2 * FOLD_MS; ms += 500) {
      expect(calls).toEqual([]);
      await add('f', { metadata: { at: `${ms}` } });
      await clock.advance(500);
    }
    await waitUntil(() => calls.length === 1);
  });

  it('are sent 100 files a call; where a key is taken away, what is there is asked for first', async () => {
    for (let i = 0; i < 250; i += 1) await add(`f${i}`, { metadata: { a: '1' } });
    await add('f7', { dropped: ['old'] });
    await all();
    expect(sizes()).toEqual([
      ['edit', 100],
      ['edit', 100],
      ['edit', 49],
      ['get', 1],
      ['update', 1],
    ]);
    expect(calls.at(-1)?.[1]).toEqual([{ id: 'f7', metadata: { other: '2', a: '1' }, tags: [] }]);
  });

  it('are shown with what the platform tells of the file', async () => {
    await add('f', { metadata: { a: '2' }, dropped: ['b'], tags: ['x'] });
    const shown = edits.shown(record('f', { metadata: { a: '1', b: '1', c: '1' } }));
    expect(shown).toMatchObject({ metadata: { a: '2', c: '1' }, tags: ['x'] });
    expect(shown.metadata).not.toHaveProperty('b');
    await all();
    expect(edits.shown(record('f', { metadata: { a: '1' } })).metadata).toEqual({ a: '1' });
  });

  it('are sent by the next mount, when this one ended before', async () => {
    await add('f', { metadata: { a: '1' } });
    await add('f', { metadata: { b: '2' } });
    await edits.close();
    edits = await open();
    expect(edits.shown(record('f', {})).metadata).toEqual({ a: '1', b: '2' });
    await all();
    expect(calls).toEqual([['edit', [{ id: 'f', metadata: { a: '1', b: '2' } }]]]);
  });

  it('are tried again after a failure that may pass, with what came since', async () => {
    failure = () => new TransportError('away', { call: 'POST /bulk/files/edit' });
    await add('f', { metadata: { a: '1' } });
    await expect(all()).rejects.toThrow('away');
    await add('f', { metadata: { b: '2' } });
    failure = () => undefined;
    await clock.advance(60_000);
    await waitUntil(() => edits.waiting.length === 0);
    expect(calls.at(-1)).toEqual(['edit', [{ id: 'f', metadata: { a: '1', b: '2' } }]]);
    expect(told).toContain('failed f');
  });

  it('are kept as tables when they are refused, each for itself', async () => {
    refusal = ({ id }) => (id === 'bad' ? { status: 403 } : undefined);
    await add('good', { metadata: { a: '1' } });
    await add('bad', { metadata: { a: '1', 'svcfs.mode': '600' }, dropped: ['old'] });
    await all();
    expect(told.sort()).toEqual(['refused bad 403', 'sent good']);
    const [name = ''] = await readdir(join(directory.name, 'recovered'));
    expect(name).toMatch(/^bad\.[0-9a-f]{8}\.metadata\.jsonl$/);
    expect(JSON.parse(await readFile(join(directory.name, 'recovered', name), 'utf8'))).toEqual({
      svc: { id: 'bad', path: 'project:a/b/bad' },
      metadata: { a: '1', old: null },
    });
    expect(edits.shown(record('bad', {})).metadata).toEqual({});
  });

  it('suffer nothing from one that has the whole call refused', async () => {
    const refused = new ApiError({ status: 400, code: 1, message: 'bad' }, { call: 'POST /bulk/files/edit' });
    failure = (items) => (items.some(({ id }) => id === 'f3') ? refused : undefined);
    for (let i = 0; i < 8; i += 1) await add(`f${i}`, { metadata: { a: '1' } });
    await all();
    expect(told.filter((line) => line.startsWith('refused'))).toEqual(['refused f3 400']);
    expect(told.filter((line) => line.startsWith('sent'))).toHaveLength(7);
  });

  it('go with a file that we remove, also when the platform knows it no more', async () => {
    refusal = () => ({ status: 404 });
    await add('f', { metadata: { a: '1' } });
    const removal = edits.whileLeaving(
      ['f'],
      () => all(),
      () => ['f'],
    );
    await removal;
    await add('g', { metadata: { a: '1' } });
    await edits.whileLeaving(
      ['g'],
      async () => {},
      () => ['g'],
    );
    expect([told, edits.waiting]).toEqual([[], []]);
  });

  it('stay when the removal of their file fails', async () => {
    await add('f', { metadata: { a: '1' } });
    const failed = edits.whileLeaving(
      ['f'],
      () => Promise.reject(new Error('no')),
      () => ['f'],
    );
    await expect(failed).rejects.toThrow('no');
    refusal = () => ({ status: 404 });
    await all();
    expect(told).toEqual(['refused f 404']);
  });

  it('are sent again when a person asks for that', async () => {
    refusal = () => ({ status: 403 });
    await add('f', { metadata: { a: '1', 'svcfs.mode': '600' } });
    const [{ id } = { id: '' }] = edits.waiting;
    await all();
    refusal = () => undefined;
    expect(await edits.takeBack(id)).toBe('/projects/a/b/f');
    expect(await readdir(join(directory.name, 'recovered'))).toEqual([]);
    await all();
    expect(calls.at(-1)).toEqual(['edit', [{ id: 'f', metadata: { a: '1', 'svcfs.mode': '600' } }]]);
    expect(await edits.takeBack(id)).toBeUndefined();
  });
});
