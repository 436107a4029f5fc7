import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { CwltoolEngine } from '../engines/cwltool/cwltool-engine.ts';
import { DEFAULT_INSTANCE_TYPES } from '../engines/instance-types.ts';
import type { TaskEngine } from '../engines/task-engine.ts';
import { WesClient } from '../engines/wes/wes-client.ts';
import { WesEngine } from '../engines/wes/wes-engine.ts';
import type { ServicesOptions, TaskOptions } from '../service-config.ts';
import type { Services } from '../services.ts';
import { noExecutor } from '../tasks/executor.ts';
import { jobExecutor } from '../tasks/job-executor.ts';

const LOCAL_SLOTS = 2;
const REMOTE_SLOTS = 100;
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** What takes and runs tasks, as the operator has chosen. */
export async function openTaskRunner({
  dataDir,
  tasks,
  secretKeys,
  clock = systemClock,
}: ServicesOptions): Promise<Pick<Services, 'executor' | 'taskRunner'>> {
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
 * What to hide for the keys not to be read: the directory they are in, since a file that replaces another is not hidden with
 * it. A directory of the machine's, such as /etc, is not hidden, and the file alone is then.
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
