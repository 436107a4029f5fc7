import { expect, it } from 'vitest';

import type { UploadProgress } from '../../../../src/content/ports.ts';
import type { WorkRecord } from '../../../../src/jobs/ports.ts';
import { control } from '../../../../src/vfs/directories/control.ts';
import { ErrorRegistry } from '../../../../src/vfs/errors/error-registry.ts';
import type { Node, VirtualDirectoryNode, VirtualSource } from '../../../../src/vfs/model/node.ts';
import { NodeMaker } from '../../../../src/vfs/model/node-maker.ts';
import { NodeTable } from '../../../../src/vfs/model/node-table.ts';
import { NEVER } from '../../../support/reading-world.ts';

const upload = (label: string, uploadId?: string): UploadProgress => ({
  label,
  uploadId,
  sizeBytes: 10,
  sentBytes: 5,
  partsInFlight: 1,
  state: 'writing',
  error: undefined,
});
const job: WorkRecord = {
  id: 'j1',
  kind: 'export',
  source: '/a',
  target: '/b',
  state: 'pending',
  startedMs: 1,
  finishedMs: undefined,
  failure: undefined,
  total: 3,
  done: 1,
  failed: [{ source: '/a/x\ty', target: '/b/x\ty', failure: { code: 9107, message: 'there is one' } }],
};

const errors = new ErrorRegistry();
const circumstances: string[] = [];
const jobs: WorkRecord[] = [];
const uploads: UploadProgress[] = [];
const make = new NodeMaker(new NodeTable(), {
  get: () => undefined,
  set: () => undefined,
  forgetTime: () => undefined,
  delete: () => undefined,
  flush: async () => undefined,
});
const source = control({
  make,
  errors,
  jobs: { works: { list: () => jobs, get: (id) => jobs.find((each) => each.id === id) } },
  writer: { uploads: () => uploads },
  information: {
    version: '1.2.3',
    config: { endpoint: 'http://x' },
    statistics: () => ({ requests: 4 }),
    circumstances: () => circumstances,
    metrics: async () => 'requests_total 4\n',
  },
});
const root = make.virtualDirectory({ parent: undefined, name: '' }, source);

/** Content of the file, or names in the directory, at a path of `.svcfs`. */
async function at(...path: string[]): Promise<string | string[]> {
  let [from, parent]: [VirtualSource, typeof root] = [source, root];
  for (const name of path) {
    const entry = (await from.entries(NEVER)).entries.find((each) => each.name === name);
    const node = entry?.make({ parent, name });
    if (node?.kind === 'virtual-file') return node.content();
    if (node?.kind !== 'virtual-directory') throw new Error(`${name}: nothing there`);
    [from, parent] = [node.source, node];
  }
  return (await from.entries(NEVER)).entries.map(({ name }) => name);
}

it('.svcfs tells version, configuration and counters', async () => {
  expect(await at()).toEqual(['version', 'config', 'stats', 'metrics', 'errors', 'jobs', 'uploads']);
  expect(await at('version')).toBe('1.2.3\n');
  expect(JSON.parse(String(await at('config')))).toEqual({ endpoint: 'http://x' });
  expect(JSON.parse(String(await at('stats')))).toEqual({ requests: 4 });
  expect(await at('metrics')).toBe('requests_total 4\n');
});

it('.svcfs/errors says first what is waited for now', async () => {
  circumstances.push('1 call waits');
  expect(await at('errors')).toBe('now: 1 call waits\n');
  circumstances.pop();
});

it('.svcfs/errors has a line for each path, even if the reason has several', async () => {
  const failure = { op: 'write', path: '/p/f', errno: 'EIO', requestId: undefined, atMs: 0 };
  errors.record({ ...failure, text: 'first\nsecond' });
  expect(await at('errors')).toBe('1970-01-01T00:00:00.000Z write /p/f: first second\n');
});

it('.svcfs/jobs and .svcfs/uploads have each of the moment', async () => {
  expect(await at('jobs')).toEqual([]);
  jobs.push(job);
  uploads.push(upload('/p/a', 'u1'), upload('/p/b'));
  expect(await at('jobs')).toEqual(['j1']);
  expect(await at('jobs', 'j1')).toEqual(['state', 'progress', 'source', 'destination', 'failed.tsv']);
  expect(await at('jobs', 'j1', 'state')).toBe('pending\n');
  expect(await at('jobs', 'j1', 'progress')).toBe('1 1 3\n');
  expect(await at('jobs', 'j1', 'source')).toBe('/a\n');
  expect(await at('jobs', 'j1', 'destination')).toBe('/b\n');
  expect(await at('jobs', 'j1', 'failed.tsv')).toBe(
    'source\tdestination\tcode\treason\n/a/x\\ty\t/b/x\\ty\t9107\tthere is one\n',
  );
  expect(await at('uploads')).toEqual(['u1', 'begun-2']);
  expect(JSON.parse(String(await at('uploads', 'begun-2')))).toMatchObject({ label: '/p/b', sentBytes: 5 });
});

it('.svcfs and all in it is private', async () => {
  const entries = (await source.entries(NEVER)).entries.map(({ name, make: makeNode }) =>
    makeNode({ parent: root, name }),
  );
  const directories = entries.flatMap((node) => (node.kind === 'virtual-directory' ? node.source : []));
  expect([source, ...directories].map(({ isPrivate }) => isPrivate)).toEqual([true, true, true]);
  const modes = entries.flatMap((node) => (node.kind === 'virtual-file' ? node.mode : []));
  expect(new Set(modes)).toEqual(new Set([0o400]));
});

it('is ESTALE, not empty, once it is over', async () => {
  jobs.push({ ...job, id: 'over' });
  uploads.push(upload('/p/over', 'up-over'));
  const { entries } = await source.entries(NEVER);
  for (const [directory, name] of [
    ['jobs', 'over'],
    ['uploads', 'up-over'],
  ]) {
    const node = entries
      .find((each) => each.name === directory)
      ?.make({ parent: root, name: directory ?? '' });
    if (node?.kind !== 'virtual-directory') throw new Error('no directory');
    const there = (await node.source.entries(NEVER)).entries.find((each) => each.name === name);
    const made = there?.make({ parent: node, name: name ?? '' });
    const file = made?.kind === 'virtual-directory' ? await firstFileOf(made) : made;
    if (file?.kind !== 'virtual-file') throw new Error('no file');
    jobs.length = 0;
    uploads.splice(directory === 'uploads' ? 0 : uploads.length);
    expect(() => file.content()).toThrow(expect.objectContaining({ errno: 'ESTALE' }));
  }
});

async function firstFileOf(directory: VirtualDirectoryNode): Promise<Node | undefined> {
  const [first] = (await directory.source.entries(NEVER)).entries;
  return first?.make({ parent: directory, name: first.name });
}
