import type { OptionValues } from '../config/option.ts';
import type { TASK_OPTIONS } from '../config/task-options.ts';
import { isCwltoolInstalled } from '../service/engines/cwltool/is-cwltool-installed.ts';
import { canSandbox } from '../service/engines/cwltool/sandbox.ts';
import type { TaskOptions } from '../service/task-runs/open-task-runner.ts';
import { CliError } from './exit-codes.ts';

type Options = OptionValues<typeof TASK_OPTIONS> & { readonly role: 'all' | 'api' | 'worker' };

/** How the options say that tasks are run; undefined: not at all. @throws CliError when they cannot be */
export async function taskService(
  options: Options,
  environment: NodeJS.ProcessEnv,
): Promise<TaskOptions | undefined> {
  const { executor, role, containers, taskSandbox, taskSlots, taskDir, taskHours, wesUrl, publicUrl } =
    options;
  const [first, ...others] = options.instances;
  const common = {
    slots: taskSlots,
    directory: taskDir,
    instances: first === undefined ? undefined : ([first, ...others] as const),
  };
  switch (executor) {
    case 'none':
      return undefined;
    case 'cwltool':
      if (role !== 'api') await checkLocalTasks(taskSandbox);
      return {
        ...common,
        executor,
        sandbox: taskSandbox === 'bwrap',
        containers: containers === 'none' ? undefined : containers,
        seconds: taskHours * 3600,
      };
    case 'wes':
      if (wesUrl === undefined) throw new CliError('usage', '--executor wes needs --wes-url');
      if (publicUrl === undefined) throw new CliError('usage', '--executor wes needs --public-url');
      return { ...common, executor, url: wesUrl, token: environment['SVCFS_WES_TOKEN'], publicUrl };
    default:
      return executor satisfies never;
  }
}

async function checkLocalTasks(sandbox: 'bwrap' | 'none'): Promise<void> {
  if (!(await isCwltoolInstalled())) {
    throw new CliError('serviceFailed', 'cwltool is not installed (Debian package: cwltool)');
  }
  if (sandbox === 'bwrap' && !(await canSandbox())) {
    const reason =
      'bwrap is not installed (Debian package: bubblewrap), or this machine allows no name spaces';
    throw new CliError('serviceFailed', `${reason}; --task-sandbox none runs tasks all the same`);
  }
}
