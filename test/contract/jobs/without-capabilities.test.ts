/** The platform as it is published, without what our service adds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Api } from '../../../src/api/api.ts';
import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import type { FileRecord, ProjectRecord } from '../../../src/api/model.ts';
import { createJobs } from '../../../src/jobs/create-jobs.ts';
import type { Jobs, TransferRequest } from '../../../src/jobs/ports.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { TestService } from '../../service/test-service.ts';
import { DIALECT } from '../../support/dialect.ts';

let service: TestService;
let api: ApiClient;
let jobs: Jobs;
let trial: ProjectRecord;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  const alice = await service.user('alice');
  await service.operator.createBillingGroup('alice', 'Lab funds');
  api = createApi({ endpoint: service.url, token: alice.token, clock: systemClock, dialect: DIALECT });
  const plain: Api = { ...api, capabilities: async () => new Set() };
  jobs = createJobs({ api: plain, clock: systemClock });
  trial = await api.projects.get((await alice.project('Trial')).id);
});

afterAll(async () => {
  jobs?.close();
  await api?.close();
  await service?.stop();
});

const upload = (name: string): Promise<FileRecord> =>
  api.uploads.inline({ parent: trial.rootFolder, name, overwrite: false }, Buffer.from(name));

const copyOver = (file: FileRecord, name: string): TransferRequest => ({
  source: { kind: 'file', file, permissions: trial.permissions },
  target: {
    kind: 'project',
    project: trial.id,
    parent: trial.rootFolder,
    name,
    permissions: trial.permissions,
  },
  overwrite: true,
  paths: { source: '/s', target: '/t' },
});

describe('a service without capabilities', () => {
  it('is asked again until a job is over', async () => {
    const { id } = await api.files.createFolder({ parent: trial.rootFolder, name: 'gone' });
    await jobs.delete({ ids: [id], path: '/gone' });
    expect(await api.files.find({ parent: trial.rootFolder, name: 'gone' })).toBeUndefined();
    expect(api.status().calls['GET /async/files/delete/{id}']).toBeLessThanOrEqual(2);
  });

  it('copies to a free name, and does not replace a file by a copy', async () => {
    const file = await upload('a');
    await upload('taken');
    expect(await jobs.copy(copyOver(file, 'free'))).toMatchObject({ entry: { name: 'free' } });
    await expect(jobs.copy(copyOver(file, 'taken'))).rejects.toMatchObject({ reason: 'target-exists' });
  });
});
