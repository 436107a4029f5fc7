/**
 * `tasks/<owner>/<project>/`: the tasks of a project, the newest first, by pages of 100. Beside them, and not listed:
 *
 *   by-id/<UUID>           a link to the task
 *   by-status/<STATUS>/    links to the tasks of a status
 *   by-app/<app>/          links to the tasks of an app, by the last part of its id
 */
import type { Page, TaskRecord } from '../../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../../contract/limits.ts';
import { TASK_STATUSES } from '../../../contract/words.ts';
import type { Clock } from '../../../lib/clock.ts';
import { idInName, taskDirectoryName } from '../../../tasks/task-directory.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticPage } from '../../model/synthetic.ts';
import { entriesOf, link } from '../../synthetic/entries.ts';
import { type TaskParts, taskDirectory } from './task-directory.ts';
import { WATCH_PERIOD_MS } from './watch-tasks.ts';

export interface ProjectTasksParts extends TaskParts {
  readonly clock: Clock;
  /** Told of each name under which somebody looks a task up, beside its own. */
  readonly named: (id: string, path: string) => void;
}

/** So many of the newest tasks are looked through for the id in a name that no listing has told. */
const MOST_LOOKED_THROUGH = 2000;

export function projectTasks(project: string, parts: ProjectTasksParts): SyntheticDirectory {
  const tasks = new ProjectTasks(project, parts);
  const beside: Readonly<Record<string, SyntheticDirectory>> = {
    'by-id': byId(tasks, parts),
    'by-status': byStatus(tasks),
    'by-app': byApp(tasks),
  };
  return {
    kind: 'directory',
    entriesTtlMs: parts.ttlMs,
    lookup: async (name, signal) => {
      if (Object.hasOwn(beside, name)) return beside[name];
      const task = await tasks.named(name, signal);
      return task && taskDirectory(task, parts);
    },
    list: async (cursor, signal) => {
      const { tasks: items, next } = await tasks.page(cursor, signal);
      const names = items.map((task) => ({
        name: tasks.nameOf(task),
        kind: 'directory' as const,
        entry: taskDirectory(task, parts),
      }));
      return { names, next };
    },
  };
}

interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  readonly next?: string;
}

/** The tasks of one project, as its directories ask for them. */
class ProjectTasks {
  readonly project: string;
  readonly #parts: ProjectTasksParts;
  /** When the newest tasks were last looked through. */
  #lookedThroughMs = Number.NEGATIVE_INFINITY;

  constructor(project: string, parts: ProjectTasksParts) {
    this.project = project;
    this.#parts = parts;
  }

  /** A page of 100. When tasks were removed meanwhile, those that moved up are asked for once more. */
  async page(cursor: string | undefined, signal: AbortSignal, status?: string): Promise<TaskPage> {
    const [offset = 0, totalBefore = 0] = cursor?.split(' ').map(Number) ?? [];
    const ask = (from: number): Promise<Page<TaskRecord>> =>
      this.#parts.api.tasks.list(
        { project: this.project, status },
        { offset: from, limit: PAGE_LIMIT_MAX },
        { signal },
      );
    let begin = offset;
    let page = await ask(begin);
    if (page.total < totalBefore) {
      begin = Math.max(0, offset - (totalBefore - page.total));
      page = await ask(begin);
    }
    this.#parts.known.learn(page.items);
    const end = begin + page.items.length;
    const goesOn = page.items.length > 0 && end < page.total;
    return { tasks: page.items, ...(goesOn && { next: `${end} ${page.total}` }) };
  }

  /** Its own name: with the whole id where an older task of this name has an id that begins the same. */
  nameOf(task: TaskRecord): string {
    const name = taskDirectoryName(task);
    const twins = this.#parts.known
      .idsWith(this.project, task.id.slice(0, 8))
      .filter((id) => id !== task.id)
      .map((id) => this.#parts.known.recordOf(id));
    const isTaken = twins.some((twin) => twin !== undefined && taskDirectoryName(twin) === name);
    return isTaken ? taskDirectoryName(task, 'whole id') : name;
  }

  /** The task that a name tells by its id. @throws E2BIG when it is older than those that are looked through */
  async named(name: string, signal: AbortSignal): Promise<TaskRecord | undefined> {
    const digits = name.startsWith('.') ? undefined : idInName(name);
    if (digits === undefined) return undefined;
    const known = this.#parts.known.idsWith(this.project, digits);
    const ids = known.length > 0 ? known : await this.#lookThrough(digits, signal);
    const found: TaskRecord[] = [];
    for (const id of ids) {
      const task = await this.withId(id, signal);
      if (task !== undefined) found.push(task);
    }
    const task = found.find((each) => this.nameOf(each) === name) ?? found[0];
    if (task !== undefined && taskDirectoryName(task) !== name) this.#parts.named(task.id, name);
    return task;
  }

  /** Undefined: there is none in the project. */
  async withId(id: string, signal: AbortSignal): Promise<TaskRecord | undefined> {
    try {
      const task = await this.#parts.known.fresh(id, signal);
      return task.project === this.project ? task : undefined;
    } catch (error) {
      // EINVAL: nothing can have that id.
      if (['ESTALE', 'EINVAL'].includes(errnoOf(error))) return undefined;
      throw error;
    }
  }

  async #lookThrough(digits: string, signal: AbortSignal): Promise<readonly string[]> {
    const { clock, known } = this.#parts;
    if (clock.elapsed() - this.#lookedThroughMs < WATCH_PERIOD_MS) return [];
    const beganMs = clock.elapsed();
    let cursor: string | undefined;
    for (let seen = 0; seen < MOST_LOOKED_THROUGH; ) {
      const { tasks, next } = await this.page(cursor, signal);
      const ids = known.idsWith(this.project, digits);
      if (ids.length > 0) return ids;
      if (next === undefined) {
        this.#lookedThroughMs = beganMs;
        return [];
      }
      seen += tasks.length;
      cursor = next;
    }
    throw new FsError(
      'E2BIG',
      `no task with ${digits} is among the newest ${MOST_LOOKED_THROUGH} of ${this.project}: use by-id/ and its whole id`,
    );
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function byId(tasks: ProjectTasks, { ttlMs }: TaskParts): SyntheticDirectory {
  return {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    lookup: async (name, signal) => {
      const task = UUID.test(name) ? await tasks.withId(name, signal) : undefined;
      return task && link(`../${tasks.nameOf(task)}`);
    },
    list: () => ({ names: [] }),
  };
}

function byStatus(tasks: ProjectTasks): SyntheticDirectory {
  return entriesOf(
    () =>
      Object.fromEntries(
        TASK_STATUSES.map((status) => [
          status,
          linksTo(tasks, {
            page: (cursor, signal) => tasks.page(cursor, signal, status),
            has: (task) => task.status === status,
          }),
        ]),
      ),
    { entriesTtlMs: Number.POSITIVE_INFINITY },
  );
}

/** Any app may have tasks: its directory is there, and may be empty. */
function byApp(tasks: ProjectTasks): SyntheticDirectory {
  return {
    kind: 'directory',
    entriesTtlMs: Number.POSITIVE_INFINITY,
    lookup: (name) => {
      const app = nameOnPlatform(name);
      const has = (task: TaskRecord): boolean => task.app.split('/')[2] === app;
      return linksTo(tasks, {
        has,
        page: async (cursor, signal) => {
          const page = await tasks.page(cursor, signal);
          return { ...page, tasks: page.tasks.filter(has) };
        },
      });
    },
    list: () => ({ names: [] }),
  };
}

interface Query {
  readonly page: (cursor: string | undefined, signal: AbortSignal) => Promise<TaskPage>;
  readonly has: (task: TaskRecord) => boolean;
}

/** Links to the tasks that are so now. */
function linksTo(tasks: ProjectTasks, { page, has }: Query): SyntheticDirectory {
  const linkTo = (task: TaskRecord): SyntheticEntry => link(`../../${tasks.nameOf(task)}`);
  return {
    kind: 'directory',
    entriesTtlMs: WATCH_PERIOD_MS,
    lookup: async (name, signal) => {
      const task = await tasks.named(name, signal);
      return task && has(task) ? linkTo(task) : undefined;
    },
    list: async (cursor, signal): Promise<SyntheticPage> => {
      const { tasks: items, next } = await page(cursor, signal);
      const names = items.map((task) => ({
        name: tasks.nameOf(task),
        kind: 'link' as const,
        entry: linkTo(task),
      }));
      return { names, next };
    },
  };
}
