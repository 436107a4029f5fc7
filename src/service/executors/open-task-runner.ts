import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { DEFAULT_INSTANCE_TYPES } from '../rules/instance-types.ts';
import type { ServicesOptions } from '../service-config.ts';
import type { Services } from '../services.ts';
import { CwltoolEngine } from './cwltool/cwltool-engine.ts';
import { noExecutor } from './executor.ts';
import { jobExecutor } from './job-executor.ts';

const LOCAL_SLOTS = 2;
const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** What takes and runs tasks, as the operator has chosen. */
export async function openTaskRunner({
  dataDir,
  tasks,
  clock = systemClock,
}: ServicesOptions): Promise<Pick<Services, 'executor' | 'taskRunner'>> {
  if (tasks === undefined) return { executor: noExecutor, taskRunner: undefined };
  const { instances = DEFAULT_INSTANCE_TYPES, slots = LOCAL_SLOTS } = tasks;
  const directory = resolve(tasks.directory ?? join(dataDir, 'tasks'));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { containers, seconds = WEEK_SECONDS } = tasks.executor === 'cwltool' ? tasks : {};
  const engine = new CwltoolEngine({ clock, slots, containers, seconds });
  return { executor: jobExecutor, taskRunner: { engine, directory, instances } };
}
