import { beforeEach, describe, expect, it } from 'vitest';
import { apps } from '../../../../src/vfs/trees/apps/apps.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeRecords } from '../../../support/fake-records.ts';
import { SyntheticWorld } from '../../../support/synthetic-world.ts';

const DOCUMENT = `{
  "class": "CommandLineTool",
  "inputs": [
    {"id": "#reads", "type": {"type": "array", "items": "File"}, "description": "two\\tlines\\nhere"},
    {"id": "#ratio", "type": ["null", "float"], "default": 0.10},
    {"id": "#mode", "type": [{"type": "enum", "symbols": ["fast", "slow"]}]}
  ],
  "a": 1.0,
  "sbg:modifiedOn": 1700000000
}`;

let records: FakeRecords;
let world: SyntheticWorld;
beforeEach(() => {
  records = new FakeRecords();
  records.apps.push(
    { href: 'h', id: 'lab/rna/bwa', project: 'lab/rna', name: 'BWA', revision: 2 },
    { id: 'lab/rna/none', name: 'No revision' },
    { id: 'admin/tools/bwa', name: 'BWA', revision: 0, visibility: 'public' },
    { id: 'admin/tools/sort', name: 'Sort', revision: 0, visibility: 'public' },
  );
  for (const revision of [0, 1, 2]) {
    records.ones.set(`app lab/rna/bwa/${revision}`, `{"id": "lab/rna/bwa/${revision}", "raw": ${DOCUMENT}}`);
  }
  const clock = new FakeClock();
  const projects = records.catalog(clock, ['lab/rna', 'lab/dna', 'public/x']);
  world = new SyntheticWorld(apps({ api: { records }, projects, ttlMs: 60_000 }));
});

describe('apps of projects', () => {
  it('are listed by owner and project, a request for each project that is listed', async () => {
    expect(await world.list()).toEqual(['lab', 'svc~public']);
    expect(await world.list('lab')).toEqual(['rna', 'dna']);
    expect(await world.list('lab/dna')).toEqual([]);
    expect(await world.list('lab/rna')).toEqual(['bwa', 'none']);
    expect(await world.list('svc~public')).toEqual(['x']);
    expect(records.taken()).toEqual(['projects', 'apps lab/dna 0 100', 'apps lab/rna 0 100']);
  });

  it('have a document for each revision, asked for when it is looked at', async () => {
    await world.list('lab/rna');
    records.taken();
    const names = ['app.json', '0.json', '1.json', '2.json', 'latest.json', 'inputs.tsv', 'example.json'];
    expect(await world.list('lab/rna/bwa')).toEqual(names);
    expect(await world.readlink('lab/rna/bwa/latest.json')).toBe('2.json');
    expect(await world.read('lab/rna/bwa/app.json')).toContain('"revision": 2\n}\n');
    expect(records.taken()).toEqual([]);
    expect(await world.read('lab/rna/bwa/1.json')).toMatch(
      /^\{\n {2}"class": [\s\S]*"default": 0\.10[\s\S]*"a": 1\.0,/,
    );
    await world.read('lab/rna/bwa/2.json');
    await world.read('lab/rna/bwa/inputs.tsv');
    await world.read('lab/rna/bwa/example.json');
    expect(records.taken()).toEqual(['app lab/rna/bwa/1', 'app lab/rna/bwa/2']);
    expect(await world.stat('lab/rna/bwa/1.json')).toMatchObject({
      attributes: { mtimeNs: 1_700_000_000_000_000_000n },
    });
  });

  it('are found by name for one request, and what is not there for one', async () => {
    expect(await world.read('lab/rna/bwa/app.json')).toContain('BWA');
    expect(records.taken()).toEqual(['projects', 'apps lab/rna lab/rna/bwa 0 100']);
    expect(await world.stat('lab/rna/other')).toMatchObject({ node: undefined });
    expect(await world.stat('lab/rna/.git')).toMatchObject({ node: undefined });
    expect(records.taken()).toEqual(['apps lab/rna lab/rna/other 0 100']);
    expect(await world.stat('lab/nope')).toMatchObject({ node: undefined });
    expect(records.taken()).toEqual(['project lab/nope']);
  });

  it('without a revision have their record alone', async () => {
    expect(await world.list('lab/rna/none')).toEqual(['app.json']);
  });

  it('have their inputs as a table and as an example', async () => {
    expect(await world.read('lab/rna/bwa/inputs.tsv')).toBe(
      'port\ttype\trequired\tdefault\tdescription\n' +
        'reads\tFile[]\ttrue\t\ttwo\\tlines\\nhere\n' +
        'ratio\tfloat?\tfalse\t0.10\t\n' +
        'mode\tone of fast, slow\ttrue\t\t\n',
    );
    expect(await world.read('lab/rna/bwa/example.json')).toMatch(
      /"path": "project:lab\/rna\/FILE"[\s\S]*"ratio": 0\.10,\n {2}"mode": "fast"/,
    );
  });

  it('without a document say so', async () => {
    records.ones.set('app lab/rna/bwa/0', '{"id": "lab/rna/bwa/0"}');
    await expect(world.read('lab/rna/bwa/0.json')).rejects.toMatchObject({ errno: 'EIO' });
  });

  it('come by pages, of which opening asks for one', async () => {
    records.apps.push(
      ...Array.from({ length: 10_000 }, (_, index) => ({
        id: `lab/dna/app-${index}`,
        name: 'x',
        revision: 0,
      })),
    );
    expect(await world.list('lab/dna', 50)).toHaveLength(50);
    expect(records.taken()).toEqual(['projects', 'apps lab/dna 0 100']);
    expect(await world.list('lab/dna')).toHaveLength(10_000);
    expect(records.taken()).toHaveLength(99);
    await world.read('lab/dna/app-9999/app.json');
    expect(records.taken()).toEqual([]);
  });

  it('have odd names as the rest of the mount has them', async () => {
    const long = 'x'.repeat(300);
    records.apps.push(
      { id: 'lab/dna/svc~a', name: 'a', revision: 0 },
      { id: 'lab/dna/two\nlines', name: 'b', revision: 0 },
      { id: `lab/dna/${long}`, name: 'c', revision: 0 },
      { id: 7, name: 'no id' },
    );
    const names = await world.list('lab/dna');
    expect(names).toEqual(['svc~svc~a', 'two\nlines', expect.stringMatching(/%~[0-9a-f]{32}$/)]);
    const fresh = new SyntheticWorld(
      apps({ api: { records }, projects: records.catalog(new FakeClock(), ['lab/dna']), ttlMs: 60_000 }),
    );
    for (const name of names) expect(await fresh.list(`lab/dna/${name}`)).toContain('0.json');
  });

  it('of a document of 5 MB have the size of what is read', async () => {
    const big = JSON.stringify({ class: 'Workflow', text: 'x'.repeat(5_000_000) });
    records.ones.set('app lab/rna/bwa/0', `{"raw": ${big}}`);
    expect(JSON.parse(await world.read('lab/rna/bwa/0.json'))).toEqual(JSON.parse(big));
  });
});

describe('public apps', () => {
  it('are found and not listed, by owner and project, a page at a time', async () => {
    expect(await world.list('public')).toEqual(['admin']);
    expect(await world.list('public/admin')).toEqual(['tools']);
    expect(await world.list('public/admin/tools')).toEqual(['bwa', 'sort']);
    expect(records.taken()).toEqual([
      'apps public 0 100',
      'apps public admin 0 100',
      'apps public admin/tools 0 100',
    ]);
  });

  it('are reached by their path for a request a level', async () => {
    await world.read('public/admin/tools/sort/app.json');
    expect(records.taken()).toEqual([
      'apps public admin 0 1',
      'apps public admin/tools 0 1',
      'apps public admin/tools admin/tools/sort 0 100',
    ]);
    expect(await world.stat('public/nobody')).toMatchObject({ node: undefined });
  });
});

describe('searches', () => {
  it('have a link to each app that each term is in', async () => {
    expect(await world.list('.search')).toEqual([]);
    expect(await world.list('.search/rna bwa')).toEqual(['lab~rna~bwa']);
    expect(await world.readlink('.search/rna bwa/lab~rna~bwa')).toBe('../../lab/rna/bwa');
    expect(records.taken()).toEqual(['apps rna bwa 0 100']);
    expect(await world.list('.search/nothing')).toEqual([]);
    expect(await world.readlink('public/.search/sort/admin~tools~sort')).toBe('../../admin/tools/sort');
  });
});
