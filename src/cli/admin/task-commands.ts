import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AdminOptions } from '../../config/admin-options.ts';
import { microsOf } from '../../lib/decimal.ts';
import type { ForeignTaskEnd } from '../../service/operator/end-foreign-task.ts';
import { printJson } from '../describe/print-table.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

type EndOptions = AdminOptions & {
  readonly status: ForeignTaskEnd['status'];
  readonly output?: Record<string, readonly string[]>;
  readonly error?: string;
  readonly cost?: number;
};

/**
 * Commands by which a worker outside of the service reports on the tasks that it runs (`svcfs serve --executor none`).
 */
export function addTaskCommands(admin: Command): void {
  const tasks = adminGroup(admin, 'tasks', 'Report on tasks that run outside of the service.');
  adminCommand(tasks, 'end', { description: 'Record the end of a task that ran outside of the service.' })
    .argument('<id>', 'id of the task')
    .addOption(
      new Option('--status <status>', 'how it ended')
        .choices(['COMPLETED', 'FAILED', 'ABORTED'])
        .makeOptionMandatory(),
    )
    .option(
      '--output <name=file>',
      'id of a file that the task made in the project; repeat for more',
      addOutput,
    )
    .option('--error <text>', 'why it failed')
    .option('--cost <amount>', 'what it cost, such as 1.25', parseCost)
    .action(end);
}

async function end(id: string, options: EndOptions): Promise<void> {
  const { status, output = {}, error, cost: costMicros } = options;
  await withOperator(options, ({ operator }) =>
    operator.endTask(id, { status, outputs: output, error, costMicros }),
  );
  if (options.json) printJson({ id, status });
  else console.log(`${id} is ${status}`);
}

function addOutput(
  text: string,
  before: Readonly<Record<string, readonly string[]>> = {},
): Record<string, readonly string[]> {
  const [, name, file] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (name === undefined || file === undefined) throw new InvalidArgumentError('Expected NAME=FILE-ID.');
  return { ...before, [name]: [...(before[name] ?? []), file] };
}

function parseCost(text: string): number {
  try {
    return microsOf(text);
  } catch {
    throw new InvalidArgumentError('Expected an amount such as 1.25.');
  }
}
