import type { Api } from '../../../api/api.ts';
import type { ProjectSummary, TaskRecord } from '../../../api/model.ts';
import type { Clock } from '../../../lib/clock.ts';
import { taskDirectoryName } from '../../../tasks/task-directory.ts';
import type { Catalog } from '../../directories/catalog.ts';
import type { LearntEntries } from '../../listing/learn-entries.ts';
import type { Beliefs } from '../../model/beliefs.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import { projectLevels } from '../project-levels.ts';
import { FilePaths } from './file-paths.ts';
import { KnownTasks } from './known-tasks.ts';
import { projectTasks } from './project-tasks.ts';
import { WatchTasks } from './watch-tasks.ts';

export interface TasksTreeParts {
  readonly api: Pick<Api, 'tasks' | 'projects' | 'files' | 'isSpent'>;
  readonly catalog: Catalog<ProjectSummary>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly beliefs: Pick<Beliefs, 'believes'>;
  /** Told of paths of the tree at which something is another now. */
  readonly onChanged: (paths: readonly string[]) => void;
  /** Told of files that tasks name. */
  readonly onFound: (entries: readonly LearntEntries[]) => void;
}

/** `tasks/`, of which it tells the kernel what changes while somebody looks. */
export class TasksTree {
  readonly directory: SyntheticDirectory;
  readonly #known: KnownTasks;
  readonly #watch: WatchTasks;
  readonly #onChanged: TasksTreeParts['onChanged'];
  /** Paths at which a task was looked up, beside that of its name. */
  readonly #otherPaths = new Map<string, Set<string>>();

  constructor(parts: TasksTreeParts) {
    const { api, catalog, clock, ttlMs, onChanged } = parts;
    this.#onChanged = onChanged;
    this.#known = new KnownTasks({ ...parts, onChanged: (task) => onChanged(this.#pathsOf(task)) });
    this.#watch = new WatchTasks(parts, this.#known);
    const ofTask = { api, known: this.#known, watch: this.#watch, paths: new FilePaths(parts), ttlMs, clock };
    this.directory = projectLevels({
      catalog,
      ttlMs,
      make: ({ id: project }) =>
        projectTasks(project, {
          ...ofTask,
          named: (id, name) => {
            const paths = this.#otherPaths.get(id) ?? new Set();
            this.#otherPaths.set(id, paths.add(`${pathOfProject(project)}/${name}`));
          },
        }),
    });
  }

  /** Another way made or changed these tasks. */
  learn(tasks: readonly TaskRecord[]): void {
    const isNew = tasks.filter(({ id }) => this.#known.recordOf(id) === undefined);
    this.#known.learn(tasks);
    this.#onChanged(isNew.map(({ project }) => pathOfProject(project)));
  }

  close(): void {
    this.#watch.close();
  }

  /** Of its directory, and of those in it whose entries change. */
  #pathsOf(task: TaskRecord): readonly string[] {
    const own = `${pathOfProject(task.project)}/${taskDirectoryName(task)}`;
    return [own, ...(this.#otherPaths.get(task.id) ?? [])].flatMap((path) => [
      path,
      `${path}/outputs`,
      `${path}/inputs`,
      `${path}/logs`,
    ]);
  }
}

function pathOfProject(project: string): string {
  const names = project.split('/').map((name) => shownName(name, 'entry'));
  return `/tasks/${names.join('/')}`;
}
