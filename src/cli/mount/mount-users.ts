import { readdir, readFile, readlink } from 'node:fs/promises';
import { parseMountInfoLine } from '../../fuse/mount-table.ts';
import { isSvcfs } from './find-mount.ts';

/** A process that has something below a mount point in use. */
export interface MountUser {
  readonly pid: number;
  readonly command: string;
  readonly use: 'working directory' | 'program' | 'open file' | 'mapped file' | 'mount namespace';
  readonly path: string;
}

/**
 * Who keeps a mount busy, from the links below /proc: they are read without touching the mount. Processes of other
 * users show up for root only.
 */
export async function findMountUsers(mountPoint: string): Promise<readonly MountUser[]> {
  const found = await Promise.all((await processes()).map((pid) => usesOf(pid, mountPoint)));
  return found.flat();
}

/** Who has it in another mount namespace than ours, one process for each of them: it goes on there when it is unmounted here. */
export async function findOtherNamespaces(deviceMinor: number): Promise<readonly MountUser[]> {
  const namespaces = new Set([await target('/proc/self/ns/mnt')]);
  const users: MountUser[] = [];
  for (const pid of (await processes()).sort((left, right) => left - right)) {
    const namespace = await target(`/proc/${pid}/ns/mnt`);
    if (namespace === undefined || namespaces.has(namespace)) continue;
    namespaces.add(namespace);
    const mounts = (await text(`/proc/${pid}/mountinfo`)).split('\n').map((line) => parseMountInfoLine(line));
    const mount = mounts.find((each) => each?.deviceMinor === deviceMinor && isSvcfs(each));
    if (mount === undefined) continue;
    const command = (await text(`/proc/${pid}/comm`)).trim();
    users.push({ pid, command, use: 'mount namespace', path: mount.mountPoint });
  }
  return users;
}

/** One line each. */
export function describeMountUsers(users: readonly MountUser[]): string {
  return users.map(({ pid, command, use, path }) => `  ${pid} ${command}: ${use} ${path}`).join('\n');
}

async function processes(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function usesOf(pid: number, mountPoint: string): Promise<readonly MountUser[]> {
  const below = (path: string | undefined): path is string =>
    path !== undefined && (path === mountPoint || path.startsWith(`${mountPoint}/`));
  const links: readonly (readonly [MountUser['use'], string])[] = [
    ['working directory', `/proc/${pid}/cwd`],
    ['program', `/proc/${pid}/exe`],
    ...(await descriptors(pid)).map((path) => ['open file', path] as const),
  ];
  const targets = await Promise.all(links.map(async ([use, link]) => ({ use, path: await target(link) })));
  const mapped = (await mappedFiles(pid)).map((path) => ({ use: 'mapped file' as const, path }));
  const uses = [...targets, ...mapped].filter((use): use is Omit<MountUser, 'pid' | 'command'> =>
    below(use.path),
  );
  if (uses.length === 0) return [];
  const command = (await text(`/proc/${pid}/comm`)).trim();
  return uses.map((use) => ({ pid, command, ...use }));
}

async function descriptors(pid: number): Promise<readonly string[]> {
  try {
    return (await readdir(`/proc/${pid}/fd`)).map((fd) => `/proc/${pid}/fd/${fd}`);
  } catch {
    return [];
  }
}

/** The paths of proc_pid_maps(5), which follow five columns, each once. */
async function mappedFiles(pid: number): Promise<readonly string[]> {
  const paths = (await text(`/proc/${pid}/maps`)).matchAll(/^(?:\S+ +){5}(\/.*)$/gm);
  return [...new Set([...paths].map(([, path = '']) => path))];
}

async function target(link: string): Promise<string | undefined> {
  try {
    return await readlink(link);
  } catch {
    return undefined;
  }
}

async function text(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
