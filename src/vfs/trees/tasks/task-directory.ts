/**
 * `tasks/<owner>/<project>/NAME~ID8/`: a task as files.
 *
 *   task.json  inputs.json           what the platform answers
 *   status  message  price           one value each; no `price` before the first run
 *   app                              a link to the revision in `apps/`
 *   inputs/  outputs/                a link, a text or a directory for each port that has a value
 *   logs/<tool>/<log>                links to the files that the tools wrote
 *   ctl                              takes `run` or `abort`
 */
import type { Api } from '../../../api/api.ts';
import type { TaskRecord } from '../../../api/model.ts';
import { printExactly } from '../../../lib/exact-json.ts';
import { shownValues } from '../../../tasks/shown-values.ts';
import { isOver } from '../../../tasks/task-status.ts';
import { FsError } from '../../errors/fs-error.ts';
import { shownName } from '../../model/escape.ts';
import type { ControlFile, SyntheticDirectory, SyntheticEntry } from '../../model/synthetic.ts';
import { file, link } from '../../synthetic/entries.ts';
import type { FilePaths } from './file-paths.ts';
import type { KnownTasks } from './known-tasks.ts';
import { logsDirectory } from './logs-directory.ts';
import { valueDirectory } from './value-directory.ts';
import { WATCH_PERIOD_MS, type WatchTasks } from './watch-tasks.ts';

export interface TaskParts {
  readonly api: Pick<Api, 'tasks'>;
  readonly known: KnownTasks;
  readonly watch: Pick<WatchTasks, 'looked'>;
  readonly paths: Pick<FilePaths, 'of'>;
  readonly ttlMs: number;
}

/** Levels from the directory of a task to the top of the mount. */
const DEPTH = 4;

export function taskDirectory(told: TaskRecord, parts: TaskParts): SyntheticDirectory {
  const { known, watch, ttlMs } = parts;
  const { id } = told;
  const toldMs = changedMs(told);
  const mtimeMs = (): number | undefined => changedMs(known.recordOf(id)) ?? toldMs;
  const read = (signal: AbortSignal): Promise<TaskRecord> => known.fresh(id, signal);
  const looked = (): void => watch.looked(id, true);
  const entries = entriesOfTask({ ...parts, id, read, looked, mtimeMs });
  const { name, status, app } = told;
  return {
    kind: 'directory',
    id,
    entriesTtlMs: ttlMs,
    fields: { id, name, status, app, created_by: told.createdBy },
    looked: () => watch.looked(id, false),
    get mtimeMs() {
      return mtimeMs();
    },
    lookup: async (entry, signal) => {
      const make = entries.get(entry);
      return make === undefined ? undefined : make(await read(signal));
    },
    list: async (_, signal) => {
      const task = await read(signal);
      looked();
      return {
        names: [...entries].flatMap(([entry, make]) => {
          const kind = make(task)?.kind;
          return kind === undefined ? [] : [{ name: entry, kind }];
        }),
      };
    },
  };
}

interface EntryParts extends TaskParts {
  readonly id: string;
  readonly read: (signal: AbortSignal) => Promise<TaskRecord>;
  readonly looked: () => void;
  readonly mtimeMs: () => number | undefined;
}

/** By name, how each is made of the record; undefined where the task has none. */
function entriesOfTask(
  parts: EntryParts,
): ReadonlyMap<string, (task: TaskRecord) => SyntheticEntry | undefined> {
  const { looked, mtimeMs, read, paths, ttlMs } = parts;
  const common = { entriesTtlMs: ttlMs, looked, mtimeMs };
  const text =
    (of: (task: TaskRecord) => string | undefined) =>
    (task: TaskRecord): SyntheticEntry | undefined => {
      const told = of(task);
      if (told === undefined) return undefined;
      // While it may change each look asks here, where it costs no request: what ctl did is shown at once.
      const ttl = isOver(task.status) ? {} : { ttlMs: 0 };
      return file(() => `${told}\n`, { looked, mtimeMs: mtimeMs(), ...ttl });
    };
  const values = (kind: 'inputs' | 'outputs') => (): SyntheticEntry =>
    valueDirectory({
      read: async (signal) => shownValues((await read(signal))[kind]),
      paths,
      depth: DEPTH + 1,
      common,
    });
  return new Map([
    ['task.json', text(({ wire }) => printExactly(wire, 2))],
    ['status', text(({ status }) => status)],
    ['message', text(({ message }) => message)],
    ['price', text(({ price }) => price && `${price.amount} ${price.currency}`.trim())],
    ['app', ({ app }: TaskRecord) => appLink(app)],
    ['inputs.json', text(({ inputs }) => printExactly(inputs, 2))],
    ['inputs', values('inputs')],
    ['outputs', values('outputs')],
    [
      'logs',
      ({ status }: TaskRecord) =>
        logsDirectory({ ...parts, depth: DEPTH + 1, ttlMs: isOver(status) ? ttlMs : WATCH_PERIOD_MS }),
    ],
    ['ctl', () => control(parts)],
  ]);
}

/** To the revision, `owner/project/app/revision`. */
function appLink(app: string): SyntheticEntry | undefined {
  const [owner, project, name, revision] = app.split('/');
  if (!owner || !project || !name || !revision) return undefined;
  const names = [owner, project, name].map((each) => shownName(each, 'entry'));
  return link(`${'../'.repeat(DEPTH)}apps/${names.join('/')}/${revision}.json`);
}

const WORDS = ['run', 'abort'] as const;

function control({ api, id, known, mtimeMs }: EntryParts): ControlFile {
  return {
    kind: 'control',
    mtimeMs: mtimeMs(),
    take: async (word, signal) => {
      const action = WORDS.find((each) => each === word);
      if (action === undefined) throw new FsError('EINVAL', `ctl takes ${WORDS.join(' or ')}, not ${word}`);
      try {
        known.learn([await api.tasks[action](id, { untilSent: signal })]);
      } catch (error) {
        throw await refusal(action, error);
      }
    },
  };

  /** With the status of the task, which is often what forbids it. */
  async function refusal(action: string, error: unknown): Promise<unknown> {
    if (!isRefusal(error)) return error;
    const { status } = await api.tasks.get(id).catch(() => ({ status: undefined }));
    if (status === undefined) return error;
    return new FsError('EINVAL', `the task is ${status}: ${action} is refused: ${error.message}`, {
      cause: error,
    });
  }
}

/** Codes of the platform for what the status of a task does not allow, or its inputs (undocumented-calls, 1.11). */
const REFUSALS: ReadonlySet<unknown> = new Set([7007, 7008, 7010, 7011]);

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ApiError' && 'code' in error && REFUSALS.has(error.code);
}

/** The last change of state. */
function changedMs(task: TaskRecord | undefined): number | undefined {
  return task?.endedMs ?? task?.startedMs ?? task?.createdMs;
}
