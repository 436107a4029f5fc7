import { randomId } from '../../lib/random-id.ts';
import { TaskFailure } from '../engines/task-engine.ts';
import { type FileRow, filesIn, newFile } from '../files/files.ts';
import { projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import { folderPathOf, type TaskRow } from '../tasks/tasks.ts';

/**
 * The folder of the project that takes the outputs: what the task names as its output location, made where it is missing,
 * else the root. Inside a transaction. @throws TaskFailure when a file is in the way
 */
export async function outputFolder(
  tx: Store,
  task: TaskRow,
  { location, now }: { readonly location: unknown; readonly now: string },
): Promise<FileRow> {
  const project = await projectsIn(tx).find(task.project_id);
  let folder = project && (await filesIn(tx).find(project.root_folder));
  if (folder === undefined) throw new TaskFailure('The project is gone.');
  for (const name of folderPathOf(location)) {
    const there = await filesIn(tx).findChild(folder.id, name);
    if (there?.kind === 'file') throw new TaskFailure(`The output location ${name} is a file.`);
    if (there === undefined) {
      const made = newFile({
        id: randomId(),
        project_id: task.project_id,
        parent_id: folder.id,
        kind: 'folder',
        name,
        created_by: task.executed_by ?? '',
        created_on: now,
      });
      await filesIn(tx).insert(made);
      folder = made;
    } else folder = there;
  }
  return folder;
}
