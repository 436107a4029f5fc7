import type { Asking } from '../../places/asking.ts';
import { FolderPaths } from '../../places/folder-paths.ts';
import type { FolderPlace } from '../../places/places.ts';
import { describePath } from '../../places/platform-path.ts';
import { type Problem, TableError } from '../table-error.ts';
import type { FoundRow } from './find-rows.ts';

/** Refuses rows whose files are not below a folder, wherever their paths say they are. @throws TableError */
export async function requireWithin(
  found: readonly FoundRow[],
  folder: FolderPlace,
  asking: Asking,
): Promise<void> {
  const folders = new FolderPaths(folder, asking);
  await folders.learn(found.map(({ file }) => file?.parent));
  const problems = found.flatMap(({ row, path, file }): readonly Problem[] => {
    if (file === undefined || folders.namesOf(file.parent) !== undefined) return [];
    const column = row.id === undefined ? 'svc.path' : 'svc.id';
    return [{ row: row.number, column, text: `${path} is not below ${describePath(folder)}` }];
  });
  if (problems.length > 0) throw new TableError(problems);
}
