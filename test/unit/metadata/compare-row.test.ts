import { describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/api/model.ts';
import { compareRow } from '../../../src/metadata/plan/compare-row.ts';
import { rowHash } from '../../../src/metadata/row-hash.ts';
import type { Cell, TableRow } from '../../../src/metadata/table.ts';

const file = (metadata: Record<string, string>, tags: readonly string[] = []): FileRecord => ({
  kind: 'file',
  id: 'f',
  name: 'f',
  project: 'ada/one',
  parent: 'root',
  sizeBytes: 1,
  createdMs: 0,
  modifiedMs: 0,
  storage: { kind: 'platform', locations: [] },
  originTask: undefined,
  originDataset: undefined,
  tags,
  metadata,
});

const row = (pairs: Record<string, Cell>, facts: Partial<TableRow> = {}): TableRow => ({
  number: 2,
  id: 'f',
  path: undefined,
  base: undefined,
  tags: undefined,
  pairs: new Map(Object.entries(pairs)),
  blanks: [],
  ...facts,
});

const compare = (given: TableRow, now: FileRecord, how: { old?: TableRow; force?: boolean } = {}) =>
  compareRow(given, now, { old: how.old, force: how.force ?? false });

const change = (key: string, before: string | undefined, after: Cell) => ({
  kind: 'pair',
  key,
  before,
  after,
});

describe('a row beside its file', () => {
  it('differs in the cells that differ, byte for byte', () => {
    const now = file({ a: '1', b: '2', c: ' x' }, ['t']);
    expect(compare(row({ a: '1', c: ' x', gone: null }), now)).toEqual({ kind: 'same' });
    expect(compare(row({ a: '1', b: null, c: 'x', d: '' }, { tags: ['t', 'u'] }), now)).toEqual({
      kind: 'differs',
      changes: [
        { kind: 'tags', before: ['t'], after: ['t', 'u'] },
        change('b', '2', null),
        change('c', ' x', 'x'),
        change('d', undefined, ''),
      ],
    });
    expect(compare(row({}, { tags: ['u', 't', 't'] }), file({}, ['t', 'u']))).toEqual({ kind: 'same' });
    expect(compare(row({ ['__proto__']: 'x' }), file({}))).toMatchObject({ kind: 'differs' });
  });

  it('is a conflict when somebody changed the file since the export, and it differs', () => {
    const base = rowHash(file({ a: '1', b: '2' }));
    const now = file({ a: '1', b: '3' });
    expect(compare(row({ a: '9', b: '3' }, { base }), now)).toMatchObject({
      kind: 'conflict',
      reason: expect.stringContaining('since the export: a;'),
    });
    expect(compare(row({ a: '1', b: '3' }, { base }), now)).toEqual({ kind: 'same' });
    expect(compare(row({ a: '9' }, { base: rowHash(now) }), now)).toMatchObject({ kind: 'differs' });
    expect(compare(row({ a: '9' }, { base }), now, { force: true })).toMatchObject({ kind: 'differs' });
    expect(compare(row({ a: '9' }), now)).toMatchObject({ kind: 'differs' });
  });

  it('with the exported row, is merged by cell', () => {
    const old = row({ a: '1', b: '2' }, { tags: ['t'] });
    const now = file({ a: '1', b: '3', n: 'new' }, ['t', 'theirs']);
    expect(compare(row({ a: '9', b: '2' }, { tags: ['t'] }), now, { old })).toEqual({
      kind: 'differs',
      changes: [change('a', '1', '9')],
    });
    expect(compare(row({ a: '1', b: '2' }), now, { old })).toEqual({ kind: 'same' });
    expect(compare(row({ b: '4' }), now, { old })).toMatchObject({
      kind: 'conflict',
      reason: expect.stringContaining(': b;'),
    });
    expect(compare(row({ n: 'mine' }), now, { old })).toMatchObject({ kind: 'conflict' });
    expect(compare(row({}, { tags: ['mine'] }), now, { old })).toMatchObject({ kind: 'conflict' });
    expect(compare(row({ b: '4' }), now, { old, force: true })).toMatchObject({ kind: 'differs' });
  });

  it('does not see the pairs of the file system itself', () => {
    expect(rowHash(file({ a: '1', 'svcfs.mtime': '5' }))).toBe(rowHash(file({ a: '1' })));
    expect(rowHash(file({ a: '1' }))).not.toBe(rowHash(file({ a: '1' }, ['t'])));
    expect(rowHash(file({ a: '1', b: '' }))).not.toBe(rowHash(file({ a: '1' })));
  });
});
