import { readdir, readFile } from 'node:fs/promises';

const PAGE_BYTES = 4096;
/** Fields of /proc/PID/stat after the name, which is in parentheses (proc(5)). */
const PROCESS_GROUP = 2;
const RESIDENT_PAGES = 21;

/** Resident memory of all processes of a group, in bytes; shared pages are counted for each. Linux only: elsewhere 0. */
export async function groupMemory(groupId: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const sizes = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => residentBytes(pid, groupId)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function residentBytes(pid: string, groupId: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[PROCESS_GROUP]) === groupId ? Number(fields[RESIDENT_PAGES]) * PAGE_BYTES : 0;
}
