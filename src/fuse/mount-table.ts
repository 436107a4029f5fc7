import { readFile } from 'node:fs/promises';

export interface MountedFileSystem {
  readonly mountPoint: string;
  /** `fuse.svcfs`, `ext4`, … */
  readonly type: string;
  /** The minor number of st_dev, which names a FUSE connection under /sys/fs/fuse/connections. */
  readonly deviceMinor: number;
}

/** One line of /proc/self/mountinfo (proc_pid_mountinfo(5)); undefined for one that is not understood. */
export function parseMountInfoLine(line: string): MountedFileSystem | undefined {
  const [before, after] = line.split(' - ');
  const [, , device, , mountPoint] = (before ?? '').split(' ');
  const [type] = (after ?? '').split(' ');
  if (device === undefined || mountPoint === undefined || type === undefined || type === '') return undefined;
  const unescaped = mountPoint.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return { mountPoint: unescaped, type, deviceMinor: Number(device.split(':')[1]) };
}

/** What is mounted on exactly a path (absolute, without symbolic links), the topmost of several. Never touches the path. */
export type MountTable = (path: string) => MountedFileSystem | undefined;

/** As it is now. */
export async function readMountTable(): Promise<MountTable> {
  const table = await readFile('/proc/self/mountinfo', 'latin1').catch(() => ''); // Linux has one
  const mounts = table.split('\n').map((line) => parseMountInfoLine(line));
  return (path) => {
    const bytes = Buffer.from(path).toString('latin1');
    return mounts.findLast((mount) => mount?.mountPoint === bytes);
  };
}

/** What is mounted on exactly `path` now, as `MountTable`. */
export async function mountedOn(path: string): Promise<MountedFileSystem | undefined> {
  return (await readMountTable())(path);
}
