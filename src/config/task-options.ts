import type { Option } from './option.ts';
import { InvalidValue } from './option.ts';
import { parseCountFrom, parseDirectory, parseEndpoint, parseSize } from './option-text.ts';

const executor: Option<'none' | 'cwltool' | 'wes'> = {
  flags: '--executor <name>',
  help: 'what runs tasks. cwltool: this machine. wes: a cluster with the WES API. none: something outside, which tells with svcfs admin tasks end',
  environment: 'SVCFS_EXECUTOR',
  default: 'none',
  choices: ['none', 'cwltool', 'wes'],
};

const containers: Option<'none' | 'docker' | 'podman' | 'singularity'> = {
  flags: '--containers <name>',
  help: 'what runs the containers of apps for cwltool; with none, an app that demands a container fails',
  environment: 'SVCFS_CONTAINERS',
  default: 'none',
  choices: ['none', 'docker', 'podman', 'singularity'],
};

const taskSandbox: Option<'bwrap' | 'none'> = {
  flags: '--task-sandbox <name>',
  help: 'what keeps the tools of cwltool away from the files of the service; with none, a user who runs a task can read them all',
  environment: 'SVCFS_TASK_SANDBOX',
  default: 'bwrap',
  choices: ['bwrap', 'none'],
};

const taskSlots: Option<number | undefined> = {
  flags: '--task-slots <count>',
  help: 'tasks that this process runs at once',
  environment: 'SVCFS_TASK_SLOTS',
  default: undefined,
  defaultText: '2 of cwltool, 100 of wes',
  parse: parseCountFrom(1, 1000),
};

const taskDir: Option<string | undefined> = {
  flags: '--task-dir <dir>',
  help: 'where tasks run: a fast local disk with room for copies of their inputs',
  environment: 'SVCFS_TASK_DIR',
  default: undefined,
  defaultText: 'tasks in the data directory',
  parse: parseDirectory,
};

const taskHours: Option<number> = {
  flags: '--task-hours <hours>',
  help: 'after how many hours the service ends a task of cwltool',
  environment: 'SVCFS_TASK_HOURS',
  default: 168,
  parse: parseCountFrom(1, 10_000),
};

/** An instance type as the option writes it. Prices are decimal numbers, for an hour. */
export interface InstanceTypeText {
  readonly name: string;
  readonly price: string;
  readonly interruptiblePrice: string;
  readonly memoryBytes?: number;
}

const instances: Option<readonly InstanceTypeText[]> = {
  flags: '--instances <types>',
  help: 'instance types, separated by commas, as NAME=PRICE[/INTERRUPTIBLE][@MEMORY] in USD an hour; a task that asks for none gets the first',
  environment: 'SVCFS_INSTANCES',
  default: [{ name: 'local', price: '0.10', interruptiblePrice: '0.03' }],
  defaultText: 'local=0.10/0.03',
  parse: parseInstances,
};

const wesUrl: Option<string | undefined> = {
  flags: '--wes-url <url>',
  help: 'the WES API of --executor wes: https://cluster.example.org/ga4gh/wes/v1; its token is SVCFS_WES_TOKEN',
  environment: 'SVCFS_WES_URL',
  default: undefined,
  defaultText: 'none',
  parse: parseEndpoint,
};

const publicUrl: Option<string | undefined> = {
  flags: '--public-url <url>',
  help: 'URL at which the cluster of --executor wes reaches this service',
  environment: 'SVCFS_PUBLIC_URL',
  default: undefined,
  defaultText: 'none',
  parse: parseEndpoint,
};

export const TASK_OPTIONS = {
  executor,
  taskSandbox,
  containers,
  taskSlots,
  taskDir,
  taskHours,
  instances,
  wesUrl,
  publicUrl,
} as const;

/** `small=0.10@8G,large=0.40/0.12@64G` */
export function parseInstances(text: string): readonly InstanceTypeText[] {
  return text.split(',').map((type) => {
    const match = /^([^=,\s]+)=(\d{1,6}(?:\.\d{1,6})?)(?:\/(\d{1,6}(?:\.\d{1,6})?))?(?:@(\S+))?$/.exec(
      type.trim(),
    );
    const [, name, price, interruptiblePrice = price, memory] = match ?? [];
    if (name === undefined || price === undefined || interruptiblePrice === undefined) {
      throw new InvalidValue(
        'Expected NAME=PRICE[/INTERRUPTIBLE][@MEMORY], such as small=0.10@8G,large=0.40/0.12@64G.',
      );
    }
    const memoryBytes = memory === undefined ? {} : { memoryBytes: parseSize(memory) };
    return { name, price, interruptiblePrice, ...memoryBytes };
  });
}
