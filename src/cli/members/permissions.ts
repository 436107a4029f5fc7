import { CliError } from '../exit-codes.ts';

/** What members may do, in the order in which it is shown. */
export const PERMISSIONS = {
  projects: ['read', 'write', 'copy', 'execute', 'admin'],
  volumes: ['read', 'copy', 'write', 'admin'],
} as const;

export type MemberTree = keyof typeof PERMISSIONS;

export interface Setting {
  readonly username: string;
  readonly permissions: Readonly<Record<string, boolean>>;
}

/** `USER=read,copy`: all other permissions are taken away, but for `read`, which each member has. */
export function parseSetting(tree: MemberTree, text: string): Setting {
  const [, username = '', list = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (username === '') throw new CliError('usage', `${text}: write USER=read,write`);
  const known: readonly string[] = PERMISSIONS[tree];
  const given = list === 'all' ? known : list.split(',').filter((word) => word !== '');
  const unknown = given.find((word) => !known.includes(word));
  if (unknown !== undefined)
    throw new CliError(
      'usage',
      `${text}: there is no permission '${unknown}', but ${known.join(', ')}, and all`,
    );
  const permissions = Object.fromEntries(
    known.map((word) => [word, word === 'read' || given.includes(word)]),
  );
  return { username, permissions };
}

/** `read,write`; `-` for none. */
export function describePermissions(permissions: Readonly<Record<string, boolean>>): string {
  const order: readonly string[] = PERMISSIONS.projects;
  const held = Object.keys(permissions).filter((word) => permissions[word] === true);
  return [...held].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join() || '-';
}
