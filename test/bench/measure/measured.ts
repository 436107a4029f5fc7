import type { Mounted } from '../peers/mounted.ts';
import { countsBetween } from '../server/counts.ts';
import type { Sample } from '../stage.ts';

/** Runs `work`, and measures its cost to a mount and its server; the value is that of `work`. */
export async function measured(
  mounted: Mounted,
  work: () => Promise<Pick<Sample, 'value' | 'movedBytes'>>,
): Promise<Sample> {
  const [usageBefore, countsBefore] = await Promise.all([mounted.usage(), mounted.counts()]);
  const answer = await work();
  const usage = await mounted.usage();
  const counts = countsBetween(countsBefore, await mounted.counts());
  return {
    ...answer,
    cpuSeconds: usage.cpuSeconds - usageBefore.cpuSeconds,
    peakRssMib: usage.peakRssMib,
    ...counts,
  };
}
