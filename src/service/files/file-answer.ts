import type { FileResource } from '../../contract/file.ts';
import type { FieldSelector } from '../http/field-selector.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Store } from '../store/store.ts';
import { fileResource, listedResource } from './file-resource.ts';
import type { FileRow } from './tables/file-table.ts';
import { filesIn } from './tables/file-table.ts';
import type { ListedFile } from './tables/page-of-files.ts';

export async function fileAnswer(store: Store, file: FileRow, view: RequestView): Promise<FileResource> {
  const [detailed] = await filesIn(store).withDetails([file]);
  return fileResource(detailed ?? { ...file, metadata: {}, tags: [] }, view);
}

/** Files of a list. Metadata and tags are read only when the answer shows them. */
export async function fileAnswers(
  store: Store,
  files: readonly ListedFile[],
  request: { readonly view: RequestView; readonly selector: FieldSelector },
): Promise<FileResource[]> {
  const { view, selector } = request;
  const shown = selector.wants('metadata', []) || selector.wants('tags', []);
  const detailsOf = await filesIn(store).details(shown ? files : []);
  return files.map((file) => listedResource(file, detailsOf(file.id), view));
}
