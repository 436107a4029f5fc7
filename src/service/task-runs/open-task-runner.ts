import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { CwltoolEngine } from '../engines/cwltool/cwltool-engine.ts';
import { DEFAULT_INSTANCE_TYPES, type InstanceTypes } from '../engines/instance-types.ts';
import type { TaskEngine } from '../engines/task-engine.ts';
import { WesClient } from '../engines/wes/wes-client.ts';
import { WesEngine } from '../engines/wes/wes-engine.ts';
import type { SecretKeysGiven } from '../operations/secrets/secret-keys.ts';
import { type HasExecutor, type HasTaskRunner, jobExecutor, noExecutor } from '../tasks/tasks.ts';

const LOCAL_SLOTS = 2;
const REMOTE_SLOTS = 100;
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** How tasks are run. */
export type TaskOptions = {
  /** Tasks at once in one process. Default: 2 of cwltool, 100 elsewhere. */
  readonly slots?: number | undefined;
  /** Where they run. Default: `tasks` in the data directory. */
  readonly directory?: string | undefined;
  readonly instances?: InstanceTypes | undefined;
} & (
  | {
      readonly executor: 'cwltool';
      /** False: tools see all that the service sees, and reach the network. Default: true. */
      readonly sandbox?: boolean | undefined;
      /** The program that runs containers. Default: none. */
      readonly containers?: 'docker' | 'podman' | 'singularity' | undefined;
      /** Tasks that run longer are ended. Default: a week. */
      readonly seconds?: number | undefined;
    }
  | {
      readonly executor: 'wes';
      /** Of the API, with `/ga4gh/wes/v1`. */
      readonly url: string;
      readonly token?: string | undefined;
      /** Where the engine reaches this service. */
      readonly publicUrl: string;
    }
);

interface TaskRunnerOptions {
  readonly dataDir: string;
  readonly tasks?: TaskOptions | undefined;
  readonly secretKeys?: SecretKeysGiven | undefined;
  readonly clock?: Clock;
}

/** The executor that takes tasks and the engine that runs them, as the operator has chosen. */
export async function openTaskRunner({
  dataDir,
  tasks,
  secretKeys,
  clock = systemClock,
}: TaskRunnerOptions): Promise<HasExecutor & HasTaskRunner> {
  if (tasks === undefined) return { executor: noExecutor, taskRunner: undefined };
  const { instances = DEFAULT_INSTANCE_TYPES } = tasks;
  const given = resolve(tasks.directory ?? join(dataDir, 'tasks'));
  await makeDirectories(given, 0o700);
  // By its real path: nothing can be laid over a link, nor below one.
  const directory = await realpath(given);
  const keys = secretKeys !== undefined && 'file' in secretKeys ? await placesOfKeys(secretKeys.file) : [];
  const engine = engineOf(tasks, { clock, hidden: [resolve(dataDir), directory, ...keys] });
  return { executor: jobExecutor, taskRunner: { engine, directory, instances } };
}

/**
 * The paths to hide so that no tool reads the keys: their directory, since a file that replaces another is not hidden
 * with it. A directory of the machine's, such as /etc, is not hidden, and the file alone is then.
 */
async function placesOfKeys(file: string): Promise<readonly string[]> {
  const paths = [resolve(file), await realpath(file)];
  return paths.map((path) => (dirname(dirname(path)) === '/' ? path : dirname(path)));
}

function engineOf(
  tasks: TaskOptions,
  { clock, hidden }: { readonly clock: Clock; readonly hidden: readonly string[] },
): TaskEngine {
  if (tasks.executor === 'cwltool') {
    const { slots = LOCAL_SLOTS, containers, seconds = WEEK_SECONDS, sandbox = true } = tasks;
    return new CwltoolEngine({ clock, slots, containers, seconds, hidden: sandbox ? hidden : undefined });
  }
  const { slots = REMOTE_SLOTS, publicUrl } = tasks;
  return new WesEngine({ client: new WesClient(tasks), clock, slots, publicUrl });
}
