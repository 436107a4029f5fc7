/**
 * The data: one project of the service, and the same files (the very same inodes) in a directory that nginx serves by
 * WebDAV and as an S3 bucket.
 *
 *     big/0 … big/3       random bytes
 *     many/e00000 …       entries to list, a few bytes each
 *     bam/sample.bam      sorted reads with an index
 *     out/                written by the rows
 */
import { createReadStream } from 'node:fs';
import { access, copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '../../../src/observe/logger.ts';
import { createProject } from '../../../src/service/actions/create-project.ts';
import { newFile } from '../../../src/service/actions/new-file.ts';
import { storedTime } from '../../../src/service/api-time.ts';
import { Operator } from '../../../src/service/operator/operator.ts';
import { randomId } from '../../../src/service/random-id.ts';
import type { Services } from '../../../src/service/services.ts';
import { openServices } from '../../../src/service/start-service.ts';
import type { FileRow } from '../../../src/service/store/files.ts';
import type { ProjectRow } from '../../../src/service/store/projects.ts';
import { mustRun } from '../../support/run.ts';
import { nativeProgram } from '../measure/native-program.ts';
import type { Sizes } from '../sizes.ts';

export const BIG_FILES = ['big/0', 'big/1', 'big/2', 'big/3'] as const;
export const MANY = 'many';
export const BAM = 'bam/sample.bam';
export const OUT = 'out';
export const BUCKET = 'bench';
const PROJECT = 'bench';
const USER = 'bench';
const STDERR = 2;

export interface DataSet {
  /** Of the service. */
  readonly data: string;
  /** What nginx serves. */
  readonly tree: string;
  readonly token: string;
  /** Of the project, below a mount of svcfs. */
  readonly projectPath: string;
  /** File ids by path. */
  readonly ids: ReadonlyMap<string, string>;
  /** Takes away what the rows wrote, the service's blobs too: it would keep them for a while. */
  removeWritten(): Promise<void>;
}

/**
 * @param directory Empty; removed by the caller.
 * @param kept Where what takes long to make is kept for the next run.
 */
export async function makeDataSet(
  directory: string,
  { kept, sizes }: { readonly kept: string; readonly sizes: Sizes },
): Promise<DataSet> {
  const data = join(directory, 'service');
  const tree = join(directory, 'tree', BUCKET);
  for (const name of ['big', MANY, 'bam', OUT]) await mkdir(join(tree, name), { recursive: true });
  await makeFiles(tree, { kept, sizes });
  const logger = createLogger({ fd: STDERR, level: 'warn' });
  const options = {
    dataDir: data,
    host: '127.0.0.1',
    port: 0,
    rateLimit: 'off',
    logger,
    workers: false,
  } as const;
  const services = await openServices(options);
  try {
    return await fill(services, { data, tree });
  } finally {
    await services.store.close();
  }
}

async function makeFiles(
  tree: string,
  { kept, sizes }: { readonly kept: string; readonly sizes: Sizes },
): Promise<void> {
  for (const name of BIG_FILES) {
    await mustRun('bash', ['-c', `head -c ${sizes.bigBytes} /dev/urandom > "$0"`, join(tree, name)]);
  }
  for (let i = 0; i < sizes.entries; i += 1) {
    await writeFile(join(tree, MANY, `e${String(i).padStart(5, '0')}`), `${i}\n`);
  }
  const bam = await keptBam(kept, sizes.bamReads);
  await copyFile(bam, join(tree, BAM));
  await copyFile(`${bam}.bai`, join(tree, `${BAM}.bai`));
}

async function keptBam(kept: string, reads: number): Promise<string> {
  const bam = join(kept, `sample-${reads}.bam`);
  const isThere = await access(`${bam}.bai`).then(
    () => true,
    () => false,
  );
  if (isThere) return bam;
  await mkdir(kept, { recursive: true });
  const script = '"$0" bam-text "$1" | samtools view -O bam,level=1 -@ 2 -o "$2" - && samtools index "$2"';
  await mustRun('bash', ['-o', 'pipefail', '-c', script, nativeProgram('load'), String(reads), bam], {
    timeoutMs: 600_000,
  });
  return bam;
}

async function fill(services: Services, paths: { data: string; tree: string }): Promise<DataSet> {
  const { data, tree } = paths;
  const operator = new Operator(services);
  const user = await operator.createUser(USER);
  const billing_group = await operator.createBillingGroup(USER, 'none');
  const project = await createProject(services, user, { name: PROJECT, billing_group });
  const ids = new Map<string, string>();
  for (const folder of ['big', MANY, 'bam', OUT]) {
    const row = rowOf(project, { parent_id: project.root_folder, name: folder, kind: 'folder' });
    await services.store.files.insert(row);
    for (const name of await readdir(join(tree, folder))) {
      const path = join(folder, name);
      ids.set(path, await addFile(services, project, { parent: row.id, name, source: join(tree, path) }));
    }
  }
  const seeded = new Set(await blobsIn(data));
  return {
    data,
    tree,
    token: await operator.issueToken(USER),
    projectPath: join('projects', USER, PROJECT),
    ids,
    removeWritten: async () => {
      await rm(join(tree, OUT), { recursive: true, force: true });
      await mkdir(join(tree, OUT));
      const written = (await blobsIn(data)).filter((blob) => !seeded.has(blob));
      await Promise.all(written.map((blob) => rm(blob, { recursive: true, force: true })));
    },
  };
}

async function addFile(
  services: Services,
  project: ProjectRow,
  { parent, name, source }: { readonly parent: string; readonly name: string; readonly source: string },
): Promise<string> {
  const blob = await services.blobs.write(createReadStream(source));
  const content = { size: blob.sizeBytes, blob_key: blob.key, etag: blob.etag };
  const row = rowOf(project, { parent_id: parent, name, ...content });
  await services.store.files.insert(row);
  const opened = await services.blobs.open(blob.key);
  await opened?.close();
  if (opened?.localPath === undefined) throw new Error(`the blob of ${source} is not one file`);
  await rm(source);
  await link(opened.localPath, source);
  return row.id;
}

function rowOf(project: ProjectRow, fields: Pick<FileRow, 'parent_id' | 'name'> & Partial<FileRow>): FileRow {
  return newFile({
    id: randomId(),
    project_id: project.id,
    created_by: project.owner,
    created_on: storedTime(Date.now()),
    ...fields,
  });
}

async function blobsIn(data: string): Promise<readonly string[]> {
  const blobs = join(data, 'storage', 'blobs');
  const groups = await readdir(blobs);
  const names = await Promise.all(groups.map((group) => readdir(join(blobs, group))));
  return groups.flatMap((group, index) => (names[index] ?? []).map((name) => join(blobs, group, name)));
}
