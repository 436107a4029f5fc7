import type { Api } from '../../api/api.ts';
import type { CallOptions } from '../../api/call-options.ts';

/** The calls of the API that commands make, through a mount or straight. */
export type PlatformApi = Pick<
  Api,
  | 'whoAmI'
  | 'capabilities'
  | 'projects'
  | 'files'
  | 'uploads'
  | 'volumes'
  | 'transfers'
  | 'asyncFiles'
  | 'apps'
  | 'tasks'
  | 'billing'
>;

interface Kind {
  /** So many arguments come before the options. */
  readonly args: number;
  readonly changes: boolean;
}

const look = (args: number): Kind => ({ args, changes: false });
const change = (args: number): Kind => ({ args, changes: true });

/** Of each call by its name in `PlatformApi`. No other goes through a mount. */
export const CALLS = {
  whoAmI: look(0),
  capabilities: look(0),
  'projects.list': look(1),
  'projects.get': look(1),
  'projects.create': change(1),
  'projects.edit': change(2),
  'projects.delete': change(1),
  'projects.members': look(2),
  'projects.addMember': change(2),
  'projects.setPermissions': change(2),
  'projects.removeMember': change(2),
  'files.get': look(1),
  'files.find': look(1),
  'files.list': look(2),
  'files.search': look(1),
  'files.edit': change(2),
  'files.move': change(2),
  'files.copy': change(2),
  'files.delete': change(1),
  'files.createFolder': change(1),
  'files.downloadInfo': look(1),
  'files.bulkGet': look(1),
  'files.bulkEdit': change(1),
  'files.bulkUpdate': change(1),
  'files.bulkDelete': change(1),
  'uploads.initialise': change(1),
  'uploads.partUrl': look(2),
  'uploads.report': change(2),
  'uploads.complete': change(2),
  'uploads.abort': change(1),
  'uploads.reportedParts': look(1),
  'uploads.inline': change(2),
  'volumes.list': look(1),
  'volumes.get': look(1),
  'volumes.create': change(1),
  'volumes.edit': change(2),
  'volumes.delete': change(1),
  'volumes.members': look(2),
  'volumes.addMember': change(2),
  'volumes.setPermissions': change(2),
  'volumes.removeMember': change(2),
  'volumes.contents': look(2),
  'volumes.object': look(2),
  'volumes.downloadInfo': look(2),
  'transfers.startImports': change(1),
  'transfers.startExports': change(2),
  'transfers.get': look(2),
  'asyncFiles.start': change(2),
  'asyncFiles.get': look(2),
  'tasks.list': look(2),
  'tasks.get': look(1),
  'tasks.bulkGet': look(1),
  'tasks.create': change(1),
  'tasks.run': change(1),
  'tasks.abort': change(1),
  'tasks.executedTools': look(1),
  'apps.list': look(2),
  'apps.get': look(1),
  'apps.install': change(2),
  'apps.copy': change(2),
  'billing.groups': look(1),
  'billing.group': look(1),
  'billing.breakdown': look(1),
} as const satisfies Readonly<Record<string, Kind>>;

export type CallName = keyof typeof CALLS;

/** The options that reach a mount as data. */
export type SentOptions = Pick<CallOptions, 'timeoutMs'> & {
  readonly overwrite?: boolean;
  readonly waitSeconds?: number;
};

export interface PlatformCall {
  readonly name: CallName;
  readonly args: readonly unknown[];
}

/** The rest is asked once, and does not count against the rate limit. */
export function isCounted({ name }: PlatformCall): boolean {
  return name !== 'capabilities';
}

export type SendCall = (call: PlatformCall, options: CallOptions & SentOptions) => Promise<unknown>;

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(CALLS, name);
}

/** An API each of whose calls is given to `send`. */
export function apiOver(send: SendCall): PlatformApi {
  const groups: Record<string, Record<string, unknown>> = {};
  const top: Record<string, unknown> = groups;
  for (const name of Object.keys(CALLS).filter(isCallName)) {
    const { args: count } = CALLS[name];
    const call = (...given: readonly unknown[]): Promise<unknown> =>
      send({ name, args: given.slice(0, count) }, (given[count] ?? {}) as CallOptions);
    const [group = '', method] = name.split('.');
    if (method === undefined) {
      top[group] = call;
      continue;
    }
    groups[group] = { ...groups[group], [method]: call };
  }
  // The table names methods of this interface with their numbers of arguments: the compiler cannot see that.
  return groups as unknown as PlatformApi;
}

/** Makes a call of an API that is at hand. */
export function makeCall(
  api: PlatformApi,
  { name, args }: PlatformCall,
  options: CallOptions,
): Promise<unknown> {
  const [group = '', method = group] = name.split('.');
  const holder = (method === group ? api : api[group as keyof PlatformApi]) as unknown as Readonly<
    Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  >;
  const padded = Array.from({ length: CALLS[name].args }, (_, index) => args[index]);
  return holder[method]?.(...padded, options) ?? Promise.reject(new Error(`no call ${name}`));
}
