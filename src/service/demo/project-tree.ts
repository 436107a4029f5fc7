import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../lib/random-id.ts';
import { newFile } from '../files/new-file.ts';
import type { FileRow } from '../files/tables/file-table.ts';
import { filesIn } from '../files/tables/file-table.ts';
import type { ProjectRow } from '../members/project-table.ts';
import type { Services } from '../services.ts';
import { storedTime } from '../store/stored-time.ts';

/** The metadata and tags of a file, beside its bytes. */
export interface FileDescription {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

export interface TreeSource {
  readonly directory: string;
  /** @param path Relative to the directory. */
  readonly describe: (path: string) => FileDescription;
}

/** Puts a directory's files and folders into the root folder of a project, and answers the files' ids by their paths. */
export async function addProjectTree(
  services: Services,
  project: ProjectRow,
  source: TreeSource,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  await addFolder(services, { project, source, ids }, { path: '', id: project.root_folder });
  return ids;
}

interface Tree {
  readonly project: ProjectRow;
  readonly source: TreeSource;
  readonly ids: Map<string, string>;
}

/** The files of a folder at once, then its folders one after the other. */
async function addFolder(
  services: Services,
  tree: Tree,
  folder: { readonly path: string; readonly id: string },
): Promise<void> {
  const entries = await readdir(join(tree.source.directory, folder.path), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map(({ name }) => addFile(services, tree, { folder, name })));
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const row = rowOf(services, tree, { parent_id: folder.id, name, kind: 'folder' });
    await filesIn(services.store).insert(row);
    await addFolder(services, tree, { path: join(folder.path, name), id: row.id });
  }
}

async function addFile(
  services: Services,
  tree: Tree,
  {
    folder,
    name,
  }: { readonly folder: { readonly path: string; readonly id: string }; readonly name: string },
): Promise<void> {
  const path = join(folder.path, name);
  const blob = await services.blobs.write(createReadStream(join(tree.source.directory, path)));
  const content = { size: blob.sizeBytes, blob_key: blob.key, etag: blob.etag };
  const row = rowOf(services, tree, { parent_id: folder.id, name, ...content });
  const { metadata, tags } = tree.source.describe(path);
  await services.store.transaction(async (tx) => {
    await filesIn(tx).insert(row);
    await filesIn(tx).mergeMetadata(row.id, { ...metadata, md5_sum: blob.etag });
    await filesIn(tx).replaceTags(row.id, tags);
  });
  tree.ids.set(path, row.id);
}

function rowOf(
  { clock }: Services,
  { project }: Tree,
  fields: Pick<FileRow, 'parent_id' | 'name'> & Partial<FileRow>,
): FileRow {
  const created_on = storedTime(clock.now());
  return newFile({
    id: randomId(),
    project_id: project.id,
    created_by: project.owner,
    created_on,
    ...fields,
  });
}
