import type { OptionValues } from '../config/option.ts';
import type { TASK_OPTIONS } from '../config/task-options.ts';
import { isCwltoolInstalled } from '../service/executors/cwltool/is-cwltool-installed.ts';
import type { TaskOptions } from '../service/service-config.ts';
import { CliError } from './exit-codes.ts';

type Options = OptionValues<typeof TASK_OPTIONS> & { readonly role: 'all' | 'api' | 'worker' };

/** How the options say that tasks are run; undefined: not at all. @throws CliError when they cannot be */
export async function taskService(
  options: Options,
  environment: NodeJS.ProcessEnv,
): Promise<TaskOptions | undefined> {
  const { executor, role, containers, taskSlots, taskDir, taskHours, wesUrl, publicUrl } = options;
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
      if (role !== 'api' && !(await isCwltoolInstalled())) {
        throw new CliError('serviceFailed', 'cwltool is not installed (Debian package: cwltool)');
      }
      return {
        ...common,
        executor,
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
