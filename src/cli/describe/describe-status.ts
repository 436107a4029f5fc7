import { describeDuration } from '../../batch/estimate.ts';
import type { SpoolUsage, UploadProgress } from '../../content/ports.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { timeOfDay } from '../../lib/time-of-day.ts';
import type { Failure } from '../../vfs/errors/error-registry.ts';
import type { MountStatus } from '../mount/control-messages.ts';
import { describeWaits } from '../mount/describe-waits.ts';
import type { MountIdentity } from '../mount/mount-identity.ts';
import type { MountStatistics } from '../mount/mount-statistics.ts';
import type { ProgramSpent } from '../mount/program-spending.ts';
import { describeClockSkew } from '../mount/service-log.ts';
import { describeDiskCache } from './describe-disk-cache.ts';
import { describeWork } from './describe-work.ts';

/** Lines for a person. */
export function describeStatus(status: MountStatus, nowMs: number): readonly string[] {
  const { uploads, jobs, edited, rates, statistics, mount, errors = [] } = status;
  const unfinished = jobs.filter(({ state }) => state === 'pending' || state === 'running');
  return [
    ...(mount === undefined ? [] : describeMount(mount, nowMs)),
    `service: ${describeService(statistics.api)}`,
    `requests: ${describeWindow(statistics.api.rate.window)}`,
    ...describePrograms(statistics.programs).map((line) => `spent by: ${line}`),
    ...describeClock(statistics.api).map((line) => `clock: ${line}`),
    ...describeWaits(statistics.api).map((line) => `waiting: ${line}`),
    ...describeBelieved(statistics.believed).map((line) => `believed: ${line}`),
    `cache: ${describeCache(statistics)}`,
    `memory: ${describeMemory(statistics)}`,
    ...describeDiskCache(statistics).map((line) => `disk cache: ${line}`),
    ...describeRates(rates).map((line) => `limits: ${line}`),
    `spool: ${describeSpool(statistics.spool)}`,
    ...describeUnkept(statistics.unkept).map((line) => `not kept: ${line}`),
    `uploads: ${uploads.length}`,
    ...uploads.map((upload) => `  ${describeUpload(upload)}`),
    ...(edited > 0 ? [`metadata: to be sent for ${edited} ${edited === 1 ? 'file' : 'files'}`] : []),
    `jobs: ${unfinished.length} unfinished of ${jobs.length}`,
    ...unfinished.map((job) => `  ${describeWork(job)}`),
    ...describeErrors(errors),
  ];
}

function describeMount(mount: MountIdentity, nowMs: number): readonly string[] {
  const { username, endpoint, profile, root, readOnly, writeBack, sinceMs, process, version } = mount;
  return [
    `mount: ${[
      `user ${username} at ${endpoint}`,
      ...(profile === null ? [] : [`profile ${profile}`]),
      ...(root === null ? [] : [`from ${root}`]),
      ...(readOnly ? ['read-only'] : []),
      ...(writeBack ? ['write-back'] : []),
    ].join('; ')}`,
    `up: ${describeDuration(nowMs - sinceMs)}; process ${process}; svcfs ${version}`,
  ].map(printable);
}

function describeService(api: MountStatistics['api']): string {
  const { calls, lost } = api;
  const sent = Object.values(calls).reduce((sum, count) => sum + count, 0);
  return [
    describeState(api),
    `dialect ${api.dialect}`,
    `${sent} requests sent, ${lost} without an answer`,
  ].join('; ');
}

/** Nothing when it is right. */
function describeClock({ clockAheadMs }: MountStatistics['api']): readonly string[] {
  return clockAheadMs === null ? [] : [describeClockSkew(clockAheadMs)];
}

function describeState({ away, tokenRefusedSinceMs }: MountStatistics['api']): string {
  if (away) return 'does not answer';
  if (tokenRefusedSinceMs === null) return 'answers';
  return `refuses the token since ${new Date(tokenRefusedSinceMs).toISOString()}`;
}

/** Nothing while no program has been answered so, and none would be. */
function describeBelieved({ now, answers }: MountStatistics['believed']): readonly string[] {
  if (!now && answers === 0) return [];
  const state = now
    ? 'the limit is spent: names, listings and attributes that have expired are believed; '
    : '';
  return [`${state}${answers} ${answers === 1 ? 'answer' : 'answers'} by what had expired so far`];
}

function describeRates({ upload, download }: MountStatus['rates']): readonly string[] {
  const limits = [
    ...(upload === undefined ? [] : [`${describeSize(upload)}/s up`]),
    ...(download === undefined ? [] : [`${describeSize(download)}/s down`]),
  ];
  return limits.length === 0 ? [] : [limits.join(', ')];
}

/** A service answers a limit beyond this when its limit is switched off. */
export const AS_GOOD_AS_NONE = 1_000_000_000;

/** What is left of the request limit. */
export function describeWindow(window: MountStatistics['api']['rate']['window']): string {
  if (window === undefined || window === 'unlimited') return 'no limit known';
  const { remaining, limit, resetMs } = window;
  if (limit >= AS_GOOD_AS_NONE) return 'no limit';
  const until = resetMs === null ? '' : ` until ${timeOfDay(resetMs)}`;
  return `${remaining} of ${limit} left${until}`;
}

function describeMemory({ memory }: MountStatistics): string {
  const { usedBytes, heldBytes, limitBytes } = memory;
  return `${describeSize(usedBytes)} used, ${describeSize(heldBytes)} taken of ${describeSize(limitBytes)}`;
}

function describeCache({ cache }: MountStatistics): string {
  const { hits, misses, cachedBytes, fetchedBytes } = cache;
  return [
    describeSize(cachedBytes),
    `${hits} reads served, ${misses} waited`,
    `${describeSize(fetchedBytes)} fetched`,
  ].join('; ');
}

function describeSpool({ usedBytes, limitBytes, waitingWrites }: SpoolUsage): string {
  const limit = limitBytes === null ? 'what the disk has' : describeSize(limitBytes);
  const writes = waitingWrites === 1 ? '1 write waits' : `${waitingWrites} writes wait`;
  return [
    `${describeSize(usedBytes)} of ${limit}`,
    ...(waitingWrites > 0 ? [`${writes} for room (--spool-size)`] : []),
  ].join('; ');
}

function describeUpload({ label, sentBytes, sizeBytes, state, error }: UploadProgress): string {
  const why = error === undefined ? '' : ` (${error})`;
  return printable(`${label}: ${describeSize(sentBytes)} of ${describeSize(sizeBytes)}, ${state}${why}`);
}

/** So many are named, in a line of 80 columns. */
const MOST_PROGRAMS = 3;

/** A process of an earlier version tells none. */
function describePrograms(programs: readonly ProgramSpent[] = []): readonly string[] {
  const spent = programs.filter(({ recent }) => recent > 0).slice(0, MOST_PROGRAMS);
  if (spent.length === 0) return [];
  const told = spent.map(({ command, process, recent }) => `${recent} ${command}${idOf(process)}`);
  return [printable(`${told.join(', ')}, in the last 5 minutes`)];
}

function idOf(process: number): string {
  return process === 0 ? '' : ` (${process})`;
}

/** So many of the last failures are named. */
const MOST_ERRORS = 5;

function describeErrors(errors: readonly Failure[]): readonly string[] {
  if (errors.length === 0) return [];
  const last = errors.slice(-MOST_ERRORS);
  return [
    `errors: the last of each path (svcfs why PATH has the reason)`,
    ...last.map(({ atMs, errno, op, path }) => `  ${timeOfDay(atMs)} ${printable(`${errno} ${op} ${path}`)}`),
  ];
}

/** Nothing when all that was set is kept. */
function describeUnkept(unkept: MountStatistics['unkept']): readonly string[] {
  const counts = Object.entries(unkept).filter(([, count]) => count > 0);
  if (counts.length === 0) return [];
  const told = counts.map(([attribute, count]) => `${count} ${attribute}${count === 1 ? '' : 's'}`);
  return [`${told.join(', ')}, which programs set and the platform has no place for (--unkept)`];
}
