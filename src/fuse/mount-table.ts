import { readFile } from 'node:fs/promises';

export interface MountedFileSystem {
  readonly mountPoint: string;
  /** `fuse.svcfs`, `ext4`, … */
  readonly type: string;
  /** The minor number of st_dev, which names a FUSE connection under /sys/fs/fuse/connections. */
  readonly deviceMinor: number;
  /** Of the user who mounted; FUSE alone tells. */
  readonly userId?: number;
}

/** Whether it is one of ours, by the type that `mount` and /proc/mounts show. */
export function isSvcfs(mounted: MountedFileSystem): boolean {
  return mounted.type === 'fuse.svcfs';
}

/** One line of /proc/self/mountinfo (proc_pid_mountinfo(5)); undefined for one that is not understood. */
export function parseMountInfoLine(line: string): MountedFileSystem | undefined {
  const [before, after] = line.split(' - ');
  const [, , device, , mountPoint] = (before ?? '').split(' ');
  const [type, , options] = (after ?? '').split(' ');
  if (device === undefined || mountPoint === undefined || type === undefined || type === '') return undefined;
  const unescaped = mountPoint.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  const userId = /(?:^|,)user_id=(\d+)(?:,|$)/.exec(options ?? '')?.[1];
  return {
    mountPoint: unescaped,
    type,
    deviceMinor: Number(device.split(':')[1]),
    ...(userId !== undefined && { userId: Number(userId) }),
  };
}

/**
 * The file system mounted on exactly a path (absolute, without symbolic links), the topmost of several. Never touches
 * the path.
 */
export type MountTable = (path: string) => MountedFileSystem | undefined;

/** As it is now. */
export async function readMountTable(): Promise<MountTable> {
  const mounts = await readMounts();
  return (path) => mounts.findLast((mount) => mount.mountPoint === bytesOf(path) && !isAutomount(mount));
}

/**
 * Whether systemd or automount(8) mounts here what a program asks for first. autofs lets only the process group of the mounter pass
 * to the directory until the mount is there.
 */
export async function isAutomounted(path: string): Promise<boolean> {
  return (await readMounts()).some((mount) => mount.mountPoint === bytesOf(path) && isAutomount(mount));
}

/** It stands for a file system that is still to come, and is no mount of its own. */
function isAutomount({ type }: MountedFileSystem): boolean {
  return type === 'autofs';
}

/** The file system mounted on exactly `path` now, as `MountTable`. */
export async function mountedOn(path: string): Promise<MountedFileSystem | undefined> {
  return (await readMountTable())(path);
}

/** Where the mount of a FUSE connection is, if this process can see it. */
export async function mountPointOfConnection(deviceMinor: number): Promise<string | undefined> {
  const mount = (await readMounts()).find(
    (each) => each.type.startsWith('fuse') && each.deviceMinor === deviceMinor,
  );
  return mount && textOf(mount.mountPoint);
}

/** The file systems mounted below a path now: they keep it in use. */
export async function mountedBelow(path: string): Promise<readonly MountedFileSystem[]> {
  const below = (await readMounts()).filter((mount) => mount.mountPoint.startsWith(`${bytesOf(path)}/`));
  return below.map((mount) => ({
    ...mount,
    mountPoint: textOf(mount.mountPoint),
  }));
}

/** Paths in it are bytes, each a character. */
async function readMounts(): Promise<readonly MountedFileSystem[]> {
  const table = await readFile('/proc/self/mountinfo', 'latin1').catch(() => ''); // Linux has one
  return table.split('\n').flatMap((line) => parseMountInfoLine(line) ?? []);
}

function bytesOf(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
