import { systemClock } from '../../lib/clock.ts';
import { identify, isRunning, type ProcessIdentity } from '../../lib/process-identity.ts';
import { jobOf } from '../../lib/process-table.ts';
import { CliError } from '../exit-codes.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { ControlAnswer } from '../mount/control-messages.ts';
import { pathOrMount } from '../mount/path-or-mount.ts';
import type { TraceEvent } from '../mount/trace/trace-event.ts';
import { describeEvent } from './describe-event.ts';

export interface TraceOptions {
  readonly pid: number | undefined;
  /** Milliseconds. */
  readonly slow: number | undefined;
  readonly json: boolean;
}

/**
 * Prints the operations of a mount until Ctrl-C, until nobody reads them, or until the mount or the process that is traced
 * ends.
 */
export async function runTrace(path: string | undefined, options: TraceOptions): Promise<void> {
  const { pid, slow: slowMs, json } = options;
  const traced = pid === undefined ? undefined : await processOf(pid);
  const { mount, path: inMount } = await pathOrMount(path);
  const { mountPoint } = mount;
  const over = new AbortController();
  process.stdout.once('error', () => over.abort());
  if (traced !== undefined) void abortAtEnd(traced, over);
  const request = { request: 'trace', path: inMount, process: traced?.pid, slowMs } as const;
  let last: ControlAnswer['answer'] | undefined;
  for await (const said of askMount(mount, request, { takeBack: over.signal })) {
    last = said.answer;
    if (said.answer === 'failed') throw new CliError('failure', `${mountPoint}: ${said.message}`);
    if (said.answer === 'tracing') console.error(`svcfs: tracing ${mountPoint}; Ctrl-C ends it`);
    if (said.answer === 'dropped') tellDropped(said.events, json);
    if (said.answer === 'traced') print(said.event, json);
  }
  if (last === undefined) throw new CliError('failure', `${mountPoint}: its process does not answer`);
  if (last !== 'trace') throw new CliError('failure', `${mountPoint}: its process has ended`);
  if (over.signal.aborted && traced === undefined) return;
  console.error(`svcfs: ${over.signal.aborted ? `process ${pid} has ended` : `${mountPoint} is unmounted`}`);
}

async function processOf(pid: number): Promise<ProcessIdentity> {
  const process = await identify(jobOf(pid)?.process ?? pid);
  if (process === undefined) throw new CliError('usage', `--pid ${pid}: there is no such process`);
  return process;
}

const LOOK_EVERY_MS = 500;

async function abortAtEnd(process: ProcessIdentity, over: AbortController): Promise<void> {
  const { signal } = over;
  while (!signal.aborted && (await isRunning(process)))
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
  over.abort();
}

function print(event: TraceEvent, json: boolean): void {
  const { atMs, ...others } = event;
  const fields = { time: new Date(atMs).toISOString(), ...others };
  console.log(json ? JSON.stringify(fields) : describeEvent(event, process.stdout));
}

function tellDropped(events: number, json: boolean): void {
  if (json) console.log(JSON.stringify({ dropped: events }));
  else console.error(`svcfs: ${events === 1 ? '1 event was' : `${events} events were`} dropped`);
}
