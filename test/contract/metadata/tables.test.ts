/** Tables of metadata against the service: what they change, and the requests that it takes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyPlans } from '../../../src/metadata/apply/apply-plans.ts';
import { resultTable } from '../../../src/metadata/apply/result-table.ts';
import { undoTable } from '../../../src/metadata/apply/undo-table.ts';
import { printTable } from '../../../src/metadata/format/print-table.ts';
import { readTable } from '../../../src/metadata/format/read-table.ts';
import { editTsv, MetadataWorld } from '../../support/metadata-world.ts';

let world: MetadataWorld;
beforeAll(async () => {
  world = await MetadataWorld.start();
});
afterAll(() => world?.stop());

const tenKeys = (index: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 10 }, (_, key) => [`key${key}`, `v${index}-${key}`]));

async function metadataOf(id: string): Promise<Readonly<Record<string, string>>> {
  return (await world.alice.get(`/files/${id}/metadata`)).body;
}

describe('6,000 files with ten keys', () => {
  let exported = '';
  beforeAll(async () => {
    await world.folder('big', 6000, { metadata: tenKeys });
  });

  it('are exported by the pages of their folder', async () => {
    const calls = await world.counting(async () => {
      exported = await world.export(['big']);
    });
    expect(calls).toEqual({ 'GET /projects/{id}': 1, 'GET /files': 1, 'GET /files/{folder}/list': 60 });
    expect(exported.split('\n')).toHaveLength(6002);
  });

  it('are changed by 100 a call, and cost nothing but the look when nothing differs', async () => {
    const edited = editTsv(exported, (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, text]) => [name, name.startsWith('key') ? `${text}!` : text]),
      ),
    );
    let outcomes: readonly string[] = [];
    const calls = await world.counting(async () => {
      outcomes = await world.import(edited);
    });
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect(calls).toEqual({
      'POST /bulk/files/get': 60,
      'GET /projects/{id}': 1,
      'POST /bulk/files/edit': 60,
    });
    const again = await world.counting(async () => {
      outcomes = await world.import(edited);
    });
    expect(new Set(outcomes)).toEqual(new Set(['unchanged']));
    expect(again).toEqual({ 'POST /bulk/files/get': 60 });
    expect(await world.export(['big'])).toContain('v5999-9!');
  });

  it('take two calls for 100 files where pairs are erased', async () => {
    const edited = editTsv(await world.export(['big']), (row) => ({ ...row, key3: '__DELETE__' }));
    const rows = edited.split('\n').slice(0, 301).join('\n');
    const calls = await world.counting(() => world.import(rows));
    expect(calls).toEqual({
      'POST /bulk/files/get': 6,
      'GET /projects/{id}': 1,
      'POST /bulk/files/update': 3,
    });
  });
});

describe('an import', () => {
  it('changes what differs, and keeps pairs of the file system, tags and what is left out', async () => {
    const folder = await world.folder('kept', 2, {
      metadata: () => ({ a: '1', b: '2', 'svcfs.mtime': '77', 'svc.own': 'x' }),
    });
    const [first] = (await world.api.files.list(folder, { offset: 0, limit: 2 })).items;
    await world.api.files.putTags(first?.id ?? '', ['one, "two"', 'three']);
    const exported = await world.export(['kept']);
    expect(exported).toContain('svc%2Eown');
    expect(exported).not.toContain('svcfs');
    const edited = editTsv(exported, ({ 'svc.id': id = '', 'svc.base': base = '', a }) => ({
      'svc.id': id,
      'svc.base': base,
      a: a === '1' ? '__DELETE__' : '',
      new: '__EMPTY__',
    }));
    expect(await world.import(edited)).toEqual(['done', 'done']);
    expect(await metadataOf(first?.id ?? '')).toEqual({
      b: '2',
      new: '',
      'svcfs.mtime': '77',
      'svc.own': 'x',
    });
    expect((await world.api.files.get(first?.id ?? '')) as object).toMatchObject({
      tags: ['one, "two"', 'three'],
    });
    const untagged = editTsv(await world.export(['kept']), ({ 'svc.id': id = '' }) => ({
      'svc.id': id,
      'svc.tags': '[]',
    }));
    expect(await world.import(untagged)).toEqual(['done', 'unchanged']);
  });

  it('finds files by their paths, and takes blank cells for nothing or for an end', async () => {
    await world.folder('by-path', 3, { metadata: () => ({ a: '1' }) });
    const base = {
      kind: 'folder',
      project: world.project,
      names: ['by-path'],
      id: '',
      parent: undefined,
    } as const;
    const { id } = (await world.api.files.find({ parent: world.root, name: 'by-path' })) ?? { id: '' };
    const table = `svc.path\ta\tb\nf00001\t\tx\nproject:${world.project}/by-path/f00002\t2\t\n`;
    const calls = await world.counting(async () =>
      expect(await world.import(table, { base: { ...base, id } })).toEqual(['done', 'done']),
    );
    expect(calls['GET /files/{folder}/list']).toBe(1);
    expect(calls['POST /bulk/files/get']).toBeUndefined();
    const { blanks } = await world.plan('svc.path\ta\nf00001\t\n', { base: { ...base, id } });
    expect(blanks).toBe(1);
    expect(await world.import('svc.path\ta\nf00001\t\n', { base: { ...base, id }, blank: 'erase' })).toEqual([
      'done',
    ]);
    expect(await world.export(['by-path', 'f00001'], 'jsonl')).toContain('"metadata":{"b":"x"}');
  });

  it('takes changes back by the table of old values, unless others came after', async () => {
    await world.folder('undone', 3, { metadata: (index) => ({ a: `${index}` }) });
    const before = await world.export(['undone']);
    const edited = editTsv(before, (row) => ({
      ...row,
      a: row['a'] === '0' ? '__DELETE__' : '9',
      b: 'new',
      'svc.tags': '["t"]',
    }));
    const { plans } = await world.plan(edited);
    const undo = [...printTable(undoTable(plans), 'tsv')].join('');
    await applyPlans(plans, { api: world.api, signal: world.signal });
    expect(await world.export(['undone'])).not.toBe(before);
    expect(await world.import(undo, { accept: true })).toEqual(['done', 'done', 'done']);
    expect(await world.export(['undone'])).toBe(before);
    await world.import(edited);
    const [id = ''] = undo.split('\n')[2]?.split('\t') ?? [];
    await world.api.files.patchMetadata(id, { theirs: '1' });
    expect(await world.import(undo, { accept: true })).toEqual(['done', 'conflict', 'done']);
  });

  it('tells conflicts, and merges with the table as it was', async () => {
    const folder = await world.folder('conflict', 2, { metadata: () => ({ a: '1', b: '1' }) });
    const exported = await world.export(['conflict']);
    const [file] = (await world.api.files.list(folder, { offset: 0, limit: 1 })).items;
    await world.api.files.patchMetadata(file?.id ?? '', { b: 'theirs' });
    const edited = editTsv(exported, (row) => ({ ...row, a: 'ours' }));
    expect(await world.import(edited)).toEqual(['conflict', 'done']);
    const old = readTable(Buffer.from(exported), { format: 'tsv' });
    expect(await world.import(edited, { old })).toEqual(['done', 'unchanged']);
    expect(await metadataOf(file?.id ?? '')).toEqual({ a: 'ours', b: 'theirs' });
    expect(await world.import(edited, { force: true })).toEqual(['done', 'unchanged']);
    expect(await metadataOf(file?.id ?? '')).toEqual({ a: 'ours', b: '1' });
  });

  it('tells of a file that was replaced since, and takes it when told to', async () => {
    const folder = await world.folder('replaced', 0);
    const { id } = await world.alice.upload(folder, 'x');
    const exported = editTsv(await world.export(['replaced']), (row) => ({ ...row, a: '1', md5_sum: '' }));
    await world.api.files.delete(id);
    await world.alice.upload(folder, 'x', 'other');
    expect(await world.import(exported)).toEqual(['conflict']);
    expect(await world.import(exported, { followPath: true })).toEqual(['done']);
    await world.api.files.delete((await world.api.files.find({ parent: folder, name: 'x' }))?.id ?? '');
    await expect(world.import(exported)).rejects.toThrow(`row 2: svc.id: no file has the id ${id}`);
  });

  it('ends where the connection breaks, tells what is done, and is finished by the next one', async () => {
    await world.folder('broken', 250);
    const edited = editTsv(await world.export(['broken']), (row) => ({ ...row, a: '1' }));
    let left = 1;
    const { api } = world;
    const breaking = {
      projects: api.projects,
      files: Object.assign(Object.create(api.files) as typeof api.files, {
        bulkEdit: (...args: Parameters<typeof api.files.bulkEdit>) =>
          left-- > 0 ? api.files.bulkEdit(...args) : Promise.reject(new Error('connection reset')),
        bulkGet: api.files.bulkGet.bind(api.files),
      }),
    };
    const { plans } = await world.plan(edited);
    const { results, stopped } = await applyPlans(plans, { api: breaking, signal: world.signal });
    expect(stopped).toMatchObject({ message: 'connection reset' });
    const outcomes = results.map(({ outcome }) => outcome);
    expect([outcomes[0], outcomes[99], outcomes[100], outcomes[199], outcomes[200]]).toEqual([
      'done',
      'done',
      'failed',
      'failed',
      'not sent',
    ]);
    const table = [...printTable(resultTable(results, ['a']), 'tsv')].join('');
    const again = await world.import(table);
    expect(again.filter((each) => each === 'unchanged')).toHaveLength(100);
    expect(again.filter((each) => each === 'done')).toHaveLength(150);
  });

  it('ends between two calls when it is interrupted', async () => {
    await world.folder('interrupted', 250);
    const edited = editTsv(await world.export(['interrupted']), (row) => ({ ...row, a: '1' }));
    const { plans } = await world.plan(edited);
    const stop = new AbortController();
    const calls = await world.counting(async () => {
      const { results, stopped } = await applyPlans(plans, {
        api: world.api,
        signal: stop.signal,
        onProgress: () => stop.abort('enough'),
      });
      expect(stopped).toBe('enough');
      expect(results.map(({ outcome }) => outcome).lastIndexOf('done')).toBe(99);
    });
    expect(calls).toEqual({ 'POST /bulk/files/edit': 1 });
    expect((await world.import(edited)).filter((each) => each === 'done')).toHaveLength(150);
  });
});

describe('a table with a bad row', () => {
  let exported = '';
  beforeAll(async () => {
    await world.folder('bad', 10, { metadata: () => ({ a: '007', gene: 'SEPT2' }) });
    exported = await world.export(['bad']);
  });

  /** Refuses it, and neither sends nor changes anything. */
  async function refused(table: string, message: string | RegExp, how = {}): Promise<void> {
    const calls = await world.counting(() => expect(world.import(table, how)).rejects.toThrow(message));
    expect(calls['POST /bulk/files/edit'] ?? calls['POST /bulk/files/update']).toBeUndefined();
    expect(await world.export(['bad'])).toBe(exported);
  }

  it('is refused before anything is asked where the row itself is bad', async () => {
    const long = `svc.id\ta\n${Array.from({ length: 100_000 }, (_, row) => `id${row}\t${row === 7001 ? 'x'.repeat(301) : 'y'}\n`).join('')}`;
    const calls = await world.counting(() =>
      expect(world.import(long)).rejects.toThrow('row 7003: a: a value has at most 300 bytes, this one 301'),
    );
    expect(calls).toEqual({});
    await refused(
      editTsv(exported, (row) => ({ ...row, ['k'.repeat(101)]: '1' })),
      'a key has at most 100 bytes',
    );
    await refused(
      editTsv(exported, (row) => ({ ...row, 'svcfs.mode': '1' })),
      'kept by svcfs itself',
    );
    await refused(
      editTsv(exported, (row) => ({ ...row, 'svc.tags': '[""]' })),
      'svc.tags: a tag is not empty',
    );
  });

  it('is refused for a file that has two rows, is not there, is a folder, or has a path that leads elsewhere', async () => {
    const [header = '', one = ''] = exported.split('\n');
    await refused(`${header}\n${one}\n${one}\n`, /row 3: .* has row 2 already/);
    await refused('svc.id\ta\n0123456789abcdef01234567\t1\n', 'row 2: svc.id: no file has the id');
    await refused(`svc.id\ta\n${world.root}\t1\n`, 'is a folder, which has no metadata');
    await refused('svc.path\ta\n/etc/passwd\t1\n', 'neither project:owner/name/… nor a path below');
    await refused('svc.path\ta\n../x\t1\n', 'neither project:owner/name/… nor a path below');
    await refused('svc.path\ta\nf00001\t1\n', 'name the folder that this path begins in by --in');
    await refused(`svc.path\ta\nproject:${world.project}/bad/nothing\t1\n`, 'no such file');
    await refused(`svc.path\ta\nproject:${world.project}/none/x\t1\n`, 'no such file or folder');
  });

  it('is refused for what a spreadsheet made of values, until that is accepted', async () => {
    const damaged = editTsv(exported, (row) => ({ ...row, a: '7', gene: '2-Sep' }));
    await refused(
      damaged,
      /row 2: a: a spreadsheet may have made 7 of 007; .*row 2: gene: .* 2-Sep of SEPT2/,
    );
    const fixed = editTsv(exported, (row) => ({ ...row, a: '7' }));
    expect(new Set(await world.import(fixed, { accept: true }))).toEqual(new Set(['done']));
    await world.import(exported, { accept: true, force: true });
  });

  it('is refused without the right to write, and tells files that another user made', async () => {
    const bob = await world.service.user('bob');
    const member = { username: 'bob', permissions: { read: true, write: false } };
    await world.alice.post(`/projects/${world.project}/members`, member);
    const api = world.client(bob);
    const edited = editTsv(exported, (row) => ({ ...row, a: '8' }));
    await refused(edited, `you have no right to write in project ${world.project}`, { api });
    await world.alice.call('PATCH', `/projects/${world.project}/members/bob/permissions`, {
      body: { write: true },
    });
    expect(new Set(await world.import(edited, { api }))).toEqual(new Set(['failed 5009']));
    await api.close();
  });
});
