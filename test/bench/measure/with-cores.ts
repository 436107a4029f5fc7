import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { ServerAt } from '../server/server-side.ts';
import type { Sample } from '../stage.ts';
import type { CoreSeconds } from './core-seconds.ts';

/** `work`, and where the time of the processors went meanwhile. */
export async function withCores(server: ServerAt, work: () => Promise<Sample>): Promise<Sample> {
  const [usageBefore, before, start] = [await server.usage(), await processorTimes(), performance.now()];
  const sample = await work();
  const all = ((performance.now() - start) / 1000) * availableParallelism();
  const [usage, after] = [await server.usage(), await processorTimes()];
  const known = {
    mount: sample.cpuSeconds ?? 0,
    servers: usage.servers - usageBefore.servers,
    proxies: usage.proxies - usageBefore.proxies,
    idle: after.idle - before.idle,
    stolen: after.stolen - before.stolen,
  };
  const others = all - Object.values(known).reduce((sum, seconds) => sum + seconds, 0);
  const interrupts = after.interrupts - before.interrupts;
  return { ...sample, cores: { all, ...known, others: Math.max(0, others), interrupts } };
}

const TICKS_PER_SECOND = 100;

/** proc_stat(5): the line of all processors, in seconds since the machine began. */
async function processorTimes(): Promise<Pick<CoreSeconds, 'idle' | 'stolen' | 'interrupts'>> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1);
  const seconds = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  const [, , , idle = 0, waiting = 0, hardware = 0, software = 0, stolen = 0] = seconds;
  return { idle: idle + waiting, stolen, interrupts: hardware + software };
}
