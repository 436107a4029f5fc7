/**
 * The data: one project of the service, and the same files (the very same inodes) in a directory that nginx serves by
 * WebDAV and as an S3 bucket.
 *
 *     big/0 … big/3       random bytes
 *     many/e00000 …       entries to list, a few bytes each
 *     thousand/f0 …       files of 4 KiB to list and read
 *     tree/00/00 …        folders in folders, three files in each
 *     crowd/e00000 …      100,000 empty files
 *     apart/00/file …     files of 1 MiB, each in a folder of its own
 *     bam/sample.bam      sorted reads with an index
 *     out/                written by the rows
 */
import { createReadStream } from 'node:fs';
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { randomId } from '../../../src/lib/random-id.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { newFile } from '../../../src/service/files/new-file.ts';
import type { FileRow } from '../../../src/service/files/tables/file-table.ts';
import { filesIn } from '../../../src/service/files/tables/file-table.ts';
import type { ProjectRow } from '../../../src/service/members/project-table.ts';
import { Operator } from '../../../src/service/operator/operator.ts';
import { createProject } from '../../../src/service/projects/create-project.ts';
import type { Services } from '../../../src/service/services.ts';
import { openServices } from '../../../src/service/start-service.ts';
import { storedTime } from '../../../src/service/store/stored-time.ts';
import type { Sizes } from '../sizes.ts';
import { makeFiles } from './make-files.ts';
import { CROWD, OUT } from './names.ts';

export const BUCKET = 'bench';
const PROJECT = 'bench';
const USER = 'bench';
const STDERR = 2;

export interface DataSet {
  /** Of the service. */
  readonly data: string;
  /** The tree that nginx serves. */
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

async function fill(services: Services, paths: { data: string; tree: string }): Promise<DataSet> {
  const { data, tree } = paths;
  const operator = new Operator(services);
  const user = await operator.createUser(USER);
  const billing_group = await operator.createBillingGroup(USER, 'none');
  const project = await createProject(services, user, { name: PROJECT, billing_group });
  const ids = new Map<string, string>();
  await addFolder({ services, project, tree, ids }, { id: project.root_folder, path: '' });
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

interface Filling {
  readonly services: Services;
  readonly project: ProjectRow;
  readonly tree: string;
  readonly ids: Map<string, string>;
}

async function addFolder(
  filling: Filling,
  folder: { readonly id: string; readonly path: string },
): Promise<void> {
  const { services, project, tree, ids } = filling;
  if (folder.path === CROWD) return addCrowd(filling, folder.id);
  for (const entry of await readdir(join(tree, folder.path), { withFileTypes: true })) {
    const { name } = entry;
    const path = join(folder.path, name);
    if (entry.isDirectory()) {
      const row = rowOf(project, { parent_id: folder.id, name, kind: 'folder' });
      await filesIn(services.store).insert(row);
      await addFolder(filling, { id: row.id, path });
    } else {
      ids.set(path, await addFile(services, project, { parent: folder.id, name, source: join(tree, path) }));
    }
  }
}

/** Files that are only listed share one empty blob. */
async function addCrowd({ services, project, tree }: Filling, parent_id: string): Promise<void> {
  const blob = await services.blobs.write(Readable.from([]));
  const content = { size: 0, blob_key: blob.key, etag: blob.etag };
  const names = await readdir(join(tree, CROWD));
  while (names.length > 0) {
    const rows = names.splice(0, 1000).map((name) => rowOf(project, { parent_id, name, ...content }));
    await services.store.transaction(async (tx) => {
      for (const row of rows) await filesIn(tx).insert(row);
    });
  }
}

async function addFile(
  services: Services,
  project: ProjectRow,
  { parent, name, source }: { readonly parent: string; readonly name: string; readonly source: string },
): Promise<string> {
  const blob = await services.blobs.write(createReadStream(source));
  const content = { size: blob.sizeBytes, blob_key: blob.key, etag: blob.etag };
  const row = rowOf(project, { parent_id: parent, name, ...content });
  await filesIn(services.store).insert(row);
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
