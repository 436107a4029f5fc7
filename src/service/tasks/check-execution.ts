import type { ExecutionSettings, TaskValues } from '../../contract/task.ts';
import { instanceTypeFor } from '../engines/instance-types.ts';
import type { HasTaskRunner } from './executor.ts';
import { folderPathOf } from './output-location.ts';

/**
 * Refuses at once the settings of a draft that no run could honour. The workers know which instances there are: a worker
 * elsewhere may still refuse them.
 *
 * @throws ServiceError 7024, 7023, 5024
 */
export function checkExecution(
  { taskRunner }: HasTaskRunner,
  asked: {
    readonly execution_settings?: ExecutionSettings | null | undefined;
    readonly output_location?: TaskValues | null | undefined;
  },
): void {
  if (taskRunner !== undefined) instanceTypeFor(taskRunner.instances, asked.execution_settings ?? undefined);
  folderPathOf(asked.output_location);
}
