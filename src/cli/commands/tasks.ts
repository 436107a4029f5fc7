import { type Command, InvalidArgumentError } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { TASK_STATUSES } from '../../contract/words.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';
import type { CreateOptions } from '../tasks/create-task.ts';
import type { ListOptions } from '../tasks/show-tasks.ts';

const DETAILS = `
A TASK is its id, its directory in a mount, or the eight digits at the end of that name for one of your newest hundred tasks. These
commands go through the mount that the working directory is in, or the only one there is; without a mount, by the profile.

Examples:
  svcfs tasks create me/study/wc --inputs job.json --run --wait
  svcfs tasks list me/study --status RUNNING
  svcfs tasks log 6f1d2c3b`;

const CREATE_DETAILS = `
APP is OWNER/PROJECT/APP, with /REVISION or without, or its path in a mount. Without a revision it is the newest one. The draft is
made in the project of the app unless --project names another. Its id is printed.

--inputs is a JSON object with a value for each port, as cwltool takes it. A file is {"class": "File", "path": PATH}, or
PATH alone where the app takes a file; a folder has the class Directory. PATH is in a mount, from the directory of the JSON
file, or project:owner/name/path, or an id. -i goes before the file; given several times it makes a list. Its paths
begin at the working directory, and what begins with [ or { is JSON.

Every input is checked first. All that do not fit are told at once, with port, type and value, and no task is made then. A
draft costs nothing. When the answer of the service gets lost, the command looks for its draft and makes no second one; the
command given twice makes two.

Examples:
  svcfs tasks create me/study/wc -i text=project:me/study/in.txt -i limit=5
  svcfs tasks create public/apps/wc/3 --project me/study --inputs job.json`;

const WAIT_DETAILS = `
Exit codes: 0 all are COMPLETED, 1 one is FAILED, or something else went wrong, 19 one is ABORTED, and none FAILED. Each change is
told on stderr. Ctrl-C ends the waiting, and no task.`;

export function addTasksCommand(program: Command): void {
  const tasks = program
    .command('tasks')
    .summary('make, run and watch tasks of apps')
    .description('Make tasks of apps, run them, wait for them, and see what became of them.')
    .addHelpText('after', wrapped(DETAILS));
  addCreate(tasks);
  addList(tasks);
  addShow(tasks);
  addRun(tasks);
  addAbort(tasks);
  addWait(tasks);
  addLog(tasks);
}

function addCreate(tasks: Command): void {
  const command = tasks
    .command('create')
    .description('Make a draft of a task, and run it with --run.')
    .argument('<app>', 'the app')
    .option('--name <name>', 'name of the task (default: that of the app)')
    .option(
      '--project <owner/name>',
      'project of the task, its outputs and its costs (default: that of the app)',
    )
    .option('--description <text>', 'what the task is for')
    .option('--inputs <file>', 'JSON with the inputs; - is standard input')
    .option('-i, --input <port=value>', 'one input; repeated for others, and for a list', collect, [])
    .option('--run', 'run it at once', false)
    .option('--wait', 'with --run: wait until it is over, as svcfs tasks wait', false)
    .option('--json', 'print the task as a line of JSON, not its id', false);
  withPlatform(command)
    .addHelpText('after', wrapped(CREATE_DETAILS))
    .action(async (app: string, options: CreateOptions & PlatformOptions) => {
      const { createTask } = await import('../tasks/create-task.ts');
      await createTask(app, options, contextOf(options, command));
    });
}

function addList(tasks: Command): void {
  const command = tasks
    .command('list')
    .description('List tasks, the newest first.')
    .argument('[project]', 'OWNER/NAME, or a path in the project (default: all projects)')
    .option('--status <status>', `only those: ${TASK_STATUSES.join(', ')}`, statusOf)
    .option('--limit <count>', 'at most so many', countOf, 100)
    .option('--json', 'print a line of JSON for each task', false);
  withPlatform(command).action(
    async (project: string | undefined, options: ListOptions & PlatformOptions) => {
      const { listTasks, projectOf } = await import('../tasks/show-tasks.ts');
      const { onPlatform } = await import('../tasks/on-platform.ts');
      const id = project === undefined ? undefined : await projectOf(project);
      await onPlatform(contextOf(options, command), (platform) => listTasks(id, options, platform));
    },
  );
}

function addShow(tasks: Command): void {
  const command = tasks
    .command('show')
    .description('Show a task, with its inputs and outputs.')
    .argument('<task>', 'the task')
    .option('--json', 'print the answer of the platform', false);
  withPlatform(command).action(
    async (task: string, options: { readonly json: boolean } & PlatformOptions) => {
      const { showTask } = await import('../tasks/show-tasks.ts');
      const { getTask, onTasks } = await import('../tasks/task-argument.ts');
      await onTasks([task], contextOf(options, command), async ([id = ''], platform) =>
        showTask(await getTask(id, platform), options.json),
      );
    },
  );
}

interface RunOptions extends PlatformOptions {
  readonly wait: boolean;
}

function addRun(tasks: Command): void {
  const command = tasks
    .command('run')
    .description('Run drafts.')
    .argument('<task...>', 'the tasks')
    .option('--wait', 'wait until all are over, as svcfs tasks wait', false);
  withPlatform(command).action(async (given: string[], options: RunOptions) => {
    const context = contextOf(options, command);
    const { actOnAll } = await import('../tasks/act-on-task.ts');
    const { onTasks } = await import('../tasks/task-argument.ts');
    const { waitForTasks } = await import('../tasks/wait-for-tasks.ts');
    await onTasks(given, context, async (ids, platform) => {
      await actOnAll('run', ids, platform);
      if (options.wait) await waitForTasks(ids, { platform, signal: context.signal, json: false });
    });
  });
}

function addAbort(tasks: Command): void {
  const command = tasks
    .command('abort')
    .description('Abort tasks that run.')
    .argument('<task...>', 'the tasks');
  withPlatform(command).action(async (given: string[], options: PlatformOptions) => {
    const { actOnAll } = await import('../tasks/act-on-task.ts');
    const { onTasks } = await import('../tasks/task-argument.ts');
    await onTasks(given, contextOf(options, command), (ids, platform) => actOnAll('abort', ids, platform));
  });
}

function addWait(tasks: Command): void {
  const command = tasks
    .command('wait')
    .description('Wait until tasks are over.')
    .argument('<task...>', 'the tasks')
    .option('--json', 'print each task as a line of JSON when it is over', false);
  withPlatform(command)
    .addHelpText('after', wrapped(WAIT_DETAILS))
    .action(async (given: string[], options: { readonly json: boolean } & PlatformOptions) => {
      const context = contextOf(options, command);
      const { onTasks } = await import('../tasks/task-argument.ts');
      const { waitForTasks } = await import('../tasks/wait-for-tasks.ts');
      const { json } = options;
      await onTasks(given, context, (ids, platform) =>
        waitForTasks(ids, { platform, signal: context.signal, json }),
      );
    });
}

function addLog(tasks: Command): void {
  const command = tasks
    .command('log')
    .description('Print what the tools of a task wrote, as far as the platform has it.')
    .argument('<task>', 'the task');
  withPlatform(command).action(async (task: string, options: PlatformOptions) => {
    const context = contextOf(options, command);
    const { printLogs } = await import('../tasks/print-logs.ts');
    const { onTasks } = await import('../tasks/task-argument.ts');
    await onTasks([task], context, ([id = ''], platform) => printLogs(id, platform, context));
  });
}

function collect(word: string, before: readonly string[]): readonly string[] {
  return [...before, word];
}

function statusOf(word: string): string {
  const status = word.toUpperCase();
  if (TASK_STATUSES.some((known) => known === status)) return status;
  throw new InvalidArgumentError(`it is one of ${TASK_STATUSES.join(', ')}.`);
}

function countOf(word: string): number {
  const count = Number(word);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('it is a whole number from 1 on.');
}
