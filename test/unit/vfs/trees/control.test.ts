import { expect, it } from 'vitest';

import type { UploadProgress } from '../../../../src/content/ports.ts';
import type { WorkRecord } from '../../../../src/jobs/ports.ts';
import { ErrorRegistry } from '../../../../src/vfs/errors/error-registry.ts';
import { control } from '../../../../src/vfs/trees/control/control.ts';
import { SyntheticWorld } from '../../../support/synthetic-world.ts';

const upload = (label: string, uploadId?: string): UploadProgress => ({
  label,
  uploadId,
  sizeBytes: 10,
  storedBytes: 0,
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
const world = new SyntheticWorld(
  control({
    errors,
    jobs: { works: { list: () => jobs, get: (id) => jobs.find((each) => each.id === id) } },
    writer: { uploads: () => uploads },
    information: {
      version: '1.2.3',
      config: { endpoint: 'http://x' },
      statistics: () => ({ requests: 4 }),
      circumstances: () => circumstances,
      metrics: () => 'requests_total 4\n',
    },
  }),
);
const list = (...path: string[]) => world.list(path.join('/'));
const read = (...path: string[]) => world.read(path.join('/'));

it('.svcfs tells version, configuration and counters', async () => {
  expect(await list()).toEqual(['version', 'config', 'stats', 'metrics', 'errors', 'jobs', 'uploads']);
  expect(await read('version')).toBe('1.2.3\n');
  expect(JSON.parse(String(await read('config')))).toEqual({ endpoint: 'http://x' });
  expect(JSON.parse(String(await read('stats')))).toEqual({ requests: 4 });
  expect(await read('metrics')).toBe('requests_total 4\n');
});

it('.svcfs/errors says first what is waited for now', async () => {
  circumstances.push('1 call waits');
  expect(await read('errors')).toBe('now: 1 call waits\n');
  circumstances.pop();
});

it('.svcfs/errors has a line for each path, even if the reason has several', async () => {
  const failure = { op: 'write', path: '/p/f', errno: 'EIO', requestId: undefined, atMs: 0 };
  errors.record({ ...failure, text: 'first\nsecond' });
  expect(await read('errors')).toBe('1970-01-01T00:00:00.000Z write /p/f: first second\n');
});

it('.svcfs/jobs and .svcfs/uploads have each of the moment', async () => {
  expect(await list('jobs')).toEqual([]);
  jobs.push(job);
  uploads.push(upload('/p/a', 'u1'), upload('/p/b'));
  expect(await list('jobs')).toEqual(['j1']);
  expect(await list('jobs', 'j1')).toEqual(['state', 'progress', 'source', 'destination', 'failed.tsv']);
  expect(await read('jobs', 'j1', 'state')).toBe('pending\n');
  expect(await read('jobs', 'j1', 'progress')).toBe('1 1 3\n');
  expect(await read('jobs', 'j1', 'source')).toBe('/a\n');
  expect(await read('jobs', 'j1', 'destination')).toBe('/b\n');
  expect(await read('jobs', 'j1', 'failed.tsv')).toBe(
    'source\tdestination\tcode\treason\n/a/x\\ty\t/b/x\\ty\t9107\tthere is one\n',
  );
  expect(await list('uploads')).toEqual(['u1', 'begun-2']);
  expect(JSON.parse(String(await read('uploads', 'begun-2')))).toMatchObject({ label: '/p/b', sentBytes: 5 });
});

it('.svcfs and all in it belongs to the user who mounted, alone', async () => {
  jobs.splice(0, jobs.length, job);
  const owner = { uid: 1, gid: 2 };
  expect(await world.stat('errors')).toMatchObject({ attributes: { ...owner, mode: 0o100_400 } });
  expect(await world.stat('jobs/j1')).toMatchObject({ attributes: { ...owner, mode: 0o040_700 } });
  expect(await world.stat('jobs/j1/state')).toMatchObject({ attributes: { ...owner, mode: 0o100_400 } });
});

it('a job that is over is ESTALE, not empty, to who has its directory', async () => {
  jobs.splice(0, jobs.length, job);
  const node = await world.node('jobs/j1');
  jobs.length = 0;
  await expect(world.trees.lookup(node, 'state', world.context)).rejects.toMatchObject({ errno: 'ESTALE' });
  expect(await world.stat('jobs/j1')).toMatchObject({ node: undefined });
});
