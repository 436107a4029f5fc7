import { readdir, readFile } from 'node:fs/promises';

/** The time and memory that processes used since they began. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly peakRssMib: number;
}

const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/** Processes that have ended count nothing. proc(5): `stat` fields 14 and 15, `status` VmHWM. */
export async function usageOf(pids: readonly number[]): Promise<ProcessUsage> {
  const each = await Promise.all(pids.map(usageOfOne));
  return {
    cpuSeconds: each.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakRssMib: each.reduce((sum, { peakRssMib }) => sum + peakRssMib, 0),
  };
}

async function usageOfOne(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([readText(`/proc/${pid}/stat`), readText(`/proc/${pid}/status`)]);
  // The name, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  const peakKib = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return { cpuSeconds: (user + system) / TICKS_PER_SECOND, peakRssMib: peakKib / KIB_PER_MIB };
}

/** A process and those that it has started. */
export async function withChildren(pid: number): Promise<readonly number[]> {
  const children = await readText(`/proc/${pid}/task/${pid}/children`);
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** The processes whose environment has this entry (`NAME=value`). */
export async function pidsWith(environment: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const has = await Promise.all(
    pids.map(async (pid) => (await readText(`/proc/${pid}/environ`)).split('\0').includes(environment)),
  );
  return pids.filter((_, index) => has[index]);
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
