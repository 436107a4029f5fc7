import { randomId } from '../../../src/lib/random-id.ts';
import { newFile } from '../../../src/service/files/new-file.ts';
import { fileBatchesIn } from '../../../src/service/files/tables/file-batch-table.ts';
import { Operator } from '../../../src/service/operator/operator.ts';
import { createProject } from '../../../src/service/projects/create-project.ts';
import type { Services } from '../../../src/service/services.ts';

/** A kind of call that is measured. */
export interface MeasuredCall {
  readonly name: string;
  readonly method: 'GET' | 'PATCH';
  /** Called in turn. */
  readonly paths: readonly string[];
  readonly body?: string;
}

const FILES = 10_000;

/** Makes a user with a folder of 10,000 files, five pairs and two tags each, and answers what to measure on it. */
export async function prepareCalls(
  services: Services,
): Promise<{ readonly token: string; readonly calls: readonly MeasuredCall[] }> {
  const operator = new Operator(services);
  await operator.createUser('alice');
  const token = await operator.issueToken('alice');
  const project = await createProject(services, { username: 'alice', tokenHash: '' }, { name: 'Load' });
  const folder = {
    project_id: project.id,
    parent_id: project.root_folder,
    created_by: 'alice',
    created_on: project.created_on,
  };
  const files = Array.from({ length: FILES }, (_, at) => ({
    ...newFile({ ...folder, id: randomId(), name: `sample-${at}.bam`, size: at, blob_key: randomId() }),
    metadata: { sample: `s${at}`, run: 'r1', library: 'l1', platform: 'illumina', centre: 'here' },
    tags: ['bam', 'hg38'],
  }));
  await services.store.transaction((tx) => fileBatchesIn(tx).insert(files));
  const some = files.filter((_, at) => at % 20 === 0).map(({ id }) => id);
  const calls: MeasuredCall[] = [
    { name: 'details of a file', method: 'GET', paths: some.map((id) => `/files/${id}`) },
    { name: 'page of 100', method: 'GET', paths: [`/files/${folder.parent_id}/list?limit=100`] },
    {
      name: 'page of 100, all fields',
      method: 'GET',
      paths: [`/files/${folder.parent_id}/list?limit=100&offset=5000&fields=_all`],
    },
    {
      name: 'metadata changed',
      method: 'PATCH',
      paths: some.map((id) => `/files/${id}/metadata`),
      body: JSON.stringify({ sample: 'changed', note: 'x'.repeat(50) }),
    },
  ];
  return { token, calls };
}
