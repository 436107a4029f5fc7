import { readdir, readFile, readlink } from 'node:fs/promises';
import { isSvcfs, parseMountInfoLine } from '../../fuse/mount-table.ts';

/** A mount namespace other than ours that has a mount (mount_namespaces(7)), by one of its processes. */
export interface OtherNamespace {
  readonly pid: number;
  readonly command: string;
  /** Where it has it. */
  readonly path: string;
}

/** Where a mount goes on when it is unmounted here. Namespaces of other users show up for root only. */
export async function findOtherNamespaces(deviceMinor: number): Promise<readonly OtherNamespace[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen = new Set([await namespaceOf('self')]);
  const found: OtherNamespace[] = [];
  for (const pid of pids.sort((left, right) => left - right)) {
    const namespace = await namespaceOf(pid);
    if (namespace === undefined || seen.has(namespace)) continue;
    seen.add(namespace);
    const path = await pathIn(pid, deviceMinor);
    if (path !== undefined) found.push({ pid, command: (await procText(pid, 'comm')).trim(), path });
  }
  return found;
}

/** One line each. */
export function describeNamespaces(namespaces: readonly OtherNamespace[]): string {
  return namespaces
    .map(({ pid, command, path }) => `  ${pid} ${command}: mount namespace ${path}`)
    .join('\n');
}

function namespaceOf(pid: number | 'self'): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined);
}

async function pathIn(pid: number, deviceMinor: number): Promise<string | undefined> {
  const mounts = (await procText(pid, 'mountinfo')).split('\n').map((line) => parseMountInfoLine(line));
  return mounts.find((each) => each?.deviceMinor === deviceMinor && isSvcfs(each))?.mountPoint;
}

function procText(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
}
