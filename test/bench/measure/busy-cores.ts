import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Processors: no document is written of a run beside more than this, for targets are met and missed by less. */
const QUIET = 0.2;

/** How many processors are busy while this process does nothing. */
export async function busyCores(ms = 3000): Promise<number> {
  const before = ticks();
  await delay(ms);
  const after = ticks();
  const share = (after.busy - before.busy) / (after.all - before.all);
  return cpus().length * share;
}

/** The reason not to measure on a machine that is busy with other work; undefined when it is quiet. */
export function whyNotQuiet(busy: number): string | undefined {
  if (busy <= QUIET) return undefined;
  const cores = `${busy.toFixed(1)} of ${cpus().length} cores are busy with something else`;
  return `${cores}: what is measured beside it says little. End it first; top(1) tells what it is.`;
}

function ticks(): { readonly busy: number; readonly all: number } {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    all += Object.values(times).reduce((sum, each) => sum + each, 0);
    idle += times.idle;
  }
  return { busy: all - idle, all };
}
