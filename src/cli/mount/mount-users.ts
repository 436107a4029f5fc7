import { readdir, readFile, readlink } from 'node:fs/promises';
import { mountedBelow } from '../../fuse/mount-table.ts';

/** A process that has something below a mount point in use. */
export interface MountUser {
  readonly pid: number;
  readonly command: string;
  readonly use: 'working directory' | 'program' | 'open file' | 'mapped file';
  readonly path: string;
}

/**
 * The programs that keep a mount busy, from the links below /proc: these are read without touching the mount. Only root
 * sees processes of other users.
 */
export async function findMountUsers(mountPoint: string): Promise<readonly MountUser[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => usesOf(pid, mountPoint)));
  return found.flat();
}

/** Of a mount that is busy, by whom: one line each. */
export async function describeMountUse(mountPoint: string): Promise<string> {
  const [users, mounts] = await Promise.all([findMountUsers(mountPoint), mountedBelow(mountPoint)]);
  const lines = [
    ...users.map(({ pid, command, use, path }) => `  ${pid} ${command}: ${use} ${path}`),
    ...mounts.map((mount) => `  mount of type ${mount.type}: ${mount.mountPoint}`),
  ];
  return (
    lines.join('\n') ||
    '  by processes of others, which only root is shown, or by the kernel (loop devices, NFS)'
  );
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
