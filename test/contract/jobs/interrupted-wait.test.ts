import { afterEach, describe, expect, it } from 'vitest';

import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import type { FileRecord, ProjectRecord } from '../../../src/api/model.ts';
import { createJobs } from '../../../src/jobs/create-jobs.ts';
import type { Jobs, TransferRequest } from '../../../src/jobs/ports.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { JOB_WORKS } from '../../../src/service/job-works.ts';
import { Worker } from '../../../src/service/jobs/worker.ts';
import { TestService } from '../../service/test-service.ts';
import { DIALECT } from '../../support/dialect.ts';
import { waitUntil } from '../../support/wait-until.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) {
    await close();
  }
});

interface Rig {
  readonly api: ApiClient;
  readonly jobs: Jobs;
  /** Lets the service begin to work on jobs. */
  readonly startWorker: () => void;
  readonly request: TransferRequest;
  /** Of a folder with one file to a volume. */
  readonly folderRequest: TransferRequest;
}

/** A service on which jobs stay where they are until a worker is started. */
async function withIdleService(): Promise<Rig> {
  const service = await TestService.start({ workers: false });
  open.push(() => service.stop());
  const alice = await service.user('alice');
  await service.operator.createBillingGroup('alice', 'Lab funds');
  const api = createApi({ endpoint: service.url, token: alice.token, clock: systemClock, dialect: DIALECT });
  open.push(() => api.close());
  const jobs = createJobs({ api, clock: systemClock });
  open.push(() => jobs.close());
  const trial = await api.projects.get((await alice.project('Trial')).id);
  const other = await api.projects.get((await alice.project('Other')).id);
  const file = await api.uploads.inline(
    { parent: trial.rootFolder, name: 'a', overwrite: false },
    Buffer.from('content'),
  );
  const startWorker = (): void => {
    const worker = new Worker(service.services, JOB_WORKS);
    worker.start();
    open.push(() => worker.stop());
  };
  const folder = await api.files.createFolder({ parent: trial.rootFolder, name: 'run' });
  await api.uploads.inline({ parent: folder.id, name: 'one', overwrite: false }, Buffer.from('1'));
  const bucket = { type: 's3', bucket: 'b', credentials: { access_key_id: 'k', secret_access_key: 's' } };
  await alice.post('/storage/volumes', { name: 'bucket', access_mode: 'RW', service: bucket });
  const folderRequest = {
    source: { kind: 'folder', folder, permissions: trial.permissions },
    target: { kind: 'volume', volume: 'alice/bucket', accessMode: 'RW', active: true, location: 'run' },
    overwrite: false,
    merges: true,
    paths: { source: '/projects/alice/trial/run', target: '/volumes/alice/bucket/run' },
  } as const;
  return { api, jobs, startWorker, request: moveBetween(file, trial, other), folderRequest };
}

function moveBetween(file: FileRecord, from: ProjectRecord, to: ProjectRecord): TransferRequest {
  return {
    source: { kind: 'file', file, permissions: from.permissions },
    target: {
      kind: 'project',
      project: to.id,
      parent: to.rootFolder,
      name: 'b',
      permissions: to.permissions,
    },
    overwrite: false,
    paths: { source: '/projects/alice/trial/a', target: '/projects/alice/other/b' },
  };
}

describe('an interrupted move', () => {
  it('leaves the job going, listed, and ready to be waited for again', async () => {
    const { api, jobs, startWorker, request } = await withIdleService();
    const controller = new AbortController();
    const moving = jobs.move(request, { signal: controller.signal });
    const outcome = expect(moving).rejects.toThrow('interrupted');
    await waitUntil(() => jobs.pending() === 1);
    controller.abort(new Error('interrupted'));
    await outcome;

    const job = jobs.ofPath('/projects/alice/trial/a');
    expect(job).toMatchObject({ kind: 'move', state: 'pending', target: '/projects/alice/other/b' });
    const again = jobs.wait(job?.id ?? '');
    startWorker();
    expect(await again).toMatchObject({ state: 'done', failure: undefined });
    expect(jobs.pending()).toBe(0);
    expect(await api.files.get(request.source.kind === 'file' ? request.source.file.id : '')).toMatchObject({
      name: 'b',
    });
  });

  it('is waited for by the same move, which does not take what it makes for another', async () => {
    const { jobs, startWorker, folderRequest } = await withIdleService();
    const controller = new AbortController();
    const moving = jobs.move(folderRequest, { signal: controller.signal });
    const outcome = expect(moving).rejects.toThrow('interrupted');
    await waitUntil(() => jobs.pending() === 1);
    controller.abort(new Error('interrupted'));
    await outcome;

    const again = jobs.move(folderRequest);
    startWorker();
    expect(await again).toMatchObject({ kind: 'exported', locations: ['run/one'] });
    expect(jobs.list()).toHaveLength(1);
  });

  it('is answered at once, however long the job takes', async () => {
    const { jobs, request } = await withIdleService();
    const controller = new AbortController();
    const moving = expect(jobs.move(request, { signal: controller.signal })).rejects.toThrow('interrupted');
    await waitUntil(() => jobs.pending() === 1);
    const startedMs = performance.now();
    controller.abort(new Error('interrupted'));
    await moving;
    expect(performance.now() - startedMs).toBeLessThan(100);
  });
});
