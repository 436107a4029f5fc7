/** What `svcfs top` shows, as lines for a terminal of some size. Nothing here knows of terminals or time. */
import { describeDuration } from '../../batch/estimate.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { describeWindow } from '../describe/describe-status.ts';
import { findingsOfMount } from '../describe/mount-health.ts';
import type { MountStatus } from '../mount/control-messages.ts';
import { describeRateWait } from '../mount/describe-waits.ts';
import type { TraceEvent } from '../mount/trace/trace-event.ts';
import type { Activity, OperationActivity } from './activity.ts';
import { beside, cut, cutPath, padded, type Size, shownMs, shownRate, table } from './layout.ts';

export const SORTS = ['rate', 'p99', 'name'] as const;

export interface TopView {
  readonly mountPoint: string;
  readonly nowMs: number;
  readonly status: MountStatus;
  readonly activity: Activity;
  /** The slowest first. */
  readonly slow: readonly TraceEvent[];
  readonly sort: (typeof SORTS)[number];
  readonly paused: boolean;
  /** Why nothing new is shown. */
  readonly failure: string | undefined;
}

/** Below this the two tables stand one above the other. */
const BESIDE_WIDTH = 76;
const LEFT_WIDTH = 45;
/** Of rows that paths get, where there is room. */
const SLOW_ROWS = 6;
const FEWEST_ROWS = 3;

export function drawTop(view: TopView, { width, height }: Size): readonly string[] {
  const head = headOf(view, width);
  const slow = slowOf(view, width);
  const operations = operationsOf(view, width);
  const programs = programsOf(view);
  const isWide = width >= BESIDE_WIDTH;
  const slowRows = Math.min(slow.length, SLOW_ROWS, Math.max(FEWEST_ROWS, height - head.length - 12));
  const room = height - head.length - 1 - (slow.length > 0 ? slowRows + 1 : 0);
  const body = isWide
    ? beside(operations, programs, LEFT_WIDTH).slice(0, Math.max(FEWEST_ROWS, room))
    : [...operations.slice(0, Math.max(FEWEST_ROWS, room - 5)), '', ...programs.slice(0, 4)];
  const lines = [...head, '', ...body, ...(slow.length > 0 ? ['', ...slow.slice(0, slowRows)] : [])];
  return lines.slice(0, height).map((line) => cut(line, width).trimEnd());
}

function headOf(view: TopView, width: number): readonly string[] {
  const { mountPoint, nowMs, status, paused, failure } = view;
  const time = `${paused ? 'paused ' : ''}${new Date(nowMs).toTimeString().slice(0, 8)}`;
  const title = `svcfs top ${cutPath(printable(mountPoint), Math.max(8, width - time.length - 12))}`;
  return [
    `${padded(title, width - time.length - 1)} ${time}`,
    ...(failure === undefined ? [healthOf(view)] : [`! ${printable(failure)}`]),
    ...packed(factsOf(view), width),
    ...describeRateWait(status.statistics.api.rate),
  ];
}

function healthOf({ mountPoint, nowMs, status }: TopView): string {
  const [worst] = findingsOfMount(status, { mountPoint, kept: 0, nowMs });
  const { mount } = status;
  const up = mount === undefined ? '' : `; up ${describeDuration(nowMs - mount.sinceMs)}`;
  if (worst !== undefined) return printable(`${worst.state} ${worst.check}: ${worst.found}`);
  return printable(`answers${up}${mount === undefined ? '' : `; user ${mount.username}`}`);
}

function factsOf({ status, activity }: TopView): readonly string[] {
  const { statistics, uploads, jobs } = status;
  const { bytes, requestsPerSecond, hits, readsPerSecond } = activity;
  const { memory, diskCache, spool } = statistics;
  const size = uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const sent = uploads.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  const unfinished = jobs.filter(({ state }) => state === 'pending' || state === 'running').length;
  const parts = statistics.uploads.partsInFlight;
  return [
    ...(['read', 'written', 'fetched', 'sent'] as const).map(
      (name) => `${name} ${describeSize(Math.round(bytes[name]))}/s`,
    ),
    `requests ${shownRate(requestsPerSecond)}/s`,
    describeWindow(statistics.api.rate.window).replace(/^\d/, 'limit $&'),
    `cache hits ${hits === undefined ? '-' : `${Math.floor(100 * hits)} %`} of ${shownRate(readsPerSecond)} reads/s`,
    `memory ${describeSize(memory.usedBytes)} of ${describeSize(memory.limitBytes)}`,
    ...(diskCache === null ? [] : [`disk cache ${describeSize(diskCache.cachedBytes)}`]),
    uploads.length === 0
      ? 'uploads 0'
      : `uploads ${uploads.length}: ${describeSize(sent)} of ${describeSize(size)}, ${parts} parts in flight`,
    `spool ${describeSize(spool.usedBytes)}`,
    `jobs ${unfinished}`,
  ];
}

const GAP = '   ';

/** As many of them on a line as fit. */
function packed(facts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + GAP.length + fact.length <= width)
      lines[lines.length - 1] = `${line}${GAP}${fact}`;
    else lines.push(fact);
  }
  return lines;
}

const BY: Readonly<Record<(typeof SORTS)[number], (a: OperationActivity, b: OperationActivity) => number>> = {
  rate: (a, b) => b.perSecond - a.perSecond || a.name.localeCompare(b.name),
  p99: (a, b) => (b.p99Ms ?? 0) - (a.p99Ms ?? 0),
  name: (a, b) => a.name.localeCompare(b.name),
};

/** So wide that two tables fit beside each other in 80 columns, or one in 40. */
const WIDE = [13, -6, -7, -7, -7];
const NARROW = [11, -5, -7, -7, -6];

function operationsOf({ activity, sort }: TopView, width: number): readonly string[] {
  const rows = activity.operations
    .toSorted(BY[sort])
    .map(({ name, perSecond, p50Ms, p99Ms, failed }) => [
      name,
      shownRate(perSecond),
      shownMs(p50Ms),
      shownMs(p99Ms),
      failed === 0 ? '-' : String(failed),
    ]);
  return table(['OPERATION', '/S', 'P50', 'P99', 'FAILED'], rows, width >= BESIDE_WIDTH ? WIDE : NARROW);
}

function programsOf({ activity }: TopView): readonly string[] {
  const rows = activity.programs.map(({ command, processes, perSecond, recent }) => [
    printable(command),
    idOf(processes),
    shownRate(perSecond),
    String(recent),
  ]);
  return table(['REQUESTS OF', 'PID', '/S', '5 MIN'], rows, [13, -7, -5, -6]);
}

/** Of one process its id, else how many they are. */
function idOf(processes: readonly number[]): string {
  const [only = 0, ...others] = processes;
  if (others.length > 0) return `${processes.length}×`;
  return only === 0 ? '-' : String(only);
}

/** With fewer columns a path counts more than the program. */
const WITH_PROGRAM = 64;

function slowOf({ slow }: TopView, width: number): readonly string[] {
  if (slow.length === 0) return [];
  const rows = slow.map(({ ms, operation, program, process, path }) => {
    const who = process === 0 ? 'kernel' : `${program ?? '?'}[${process}]`;
    const by = width < WITH_PROGRAM ? '' : `${printable(who)} `;
    const facts = `${padded(shownMs(ms), -7)}  ${padded(operation, 11)} ${by}`;
    return `${facts}${cutPath(printable(path), Math.max(8, width - facts.length))}`;
  });
  return ['SLOWEST OF THE LAST MINUTE', ...rows];
}
