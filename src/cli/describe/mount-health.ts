import { timeOfDay } from '../../lib/time-of-day.ts';
import { type Finding, fault, warning } from '../finding.ts';
import type { MountStatus } from '../mount/control-messages.ts';
import { describeRateWait } from '../mount/describe-waits.ts';
import type { MountStatistics } from '../mount/mount-statistics.ts';
import { describeClockSkew } from '../mount/service-log.ts';
import { quoted } from './quoted.ts';

/** So long after it a failure of the disk counts as one of now. */
const FAILING_MS = 10 * 60_000;

/** The mount, and the facts about it that its process does not tell. */
export interface Looked {
  readonly mountPoint: string;
  /** Files of it that only a person can deal with. */
  readonly kept: number;
  readonly nowMs: number;
}

/**
 * What is wrong with a mount. Faults need a person, or the service: the mount is not healthy. Warnings pass by themselves,
 * or cost only speed.
 */
export function findingsOfMount(status: MountStatus, looked: Looked): readonly Finding[] {
  const { statistics, mount } = status;
  const { mountPoint, kept, nowMs } = looked;
  return [
    ...serviceFinding(statistics.api, mountPoint),
    ...tokenFinding(statistics.api, mount?.profile ?? null),
    ...keptFinding(kept),
    ...diskCacheFindings(statistics, nowMs),
    ...requestFinding(statistics),
    ...spoolFinding(statistics.spool),
    ...clockFinding(statistics.api),
  ];
}

export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'fault');
}

function serviceFinding(
  { away, awaySinceMs }: MountStatistics['api'],
  mountPoint: string,
): readonly Finding[] {
  if (!away) return [];
  const since = awaySinceMs === null ? '' : ` since ${timeOfDay(awaySinceMs)}`;
  return [fault('service', `does not answer${since}`, { remedy: `svcfs doctor ${quoted(mountPoint)}` })];
}

function tokenFinding(
  { tokenRefusedSinceMs }: MountStatistics['api'],
  profile: string | null,
): readonly Finding[] {
  if (tokenRefusedSinceMs === null) return [];
  const login = profile === null || profile === 'default' ? '' : ` --profile ${quoted(profile)}`;
  const found = `refused since ${new Date(tokenRefusedSinceMs).toISOString()}`;
  return [fault('token', found, { remedy: `svcfs login${login}` })];
}

function keptFinding(kept: number): readonly Finding[] {
  if (kept === 0) return [];
  const found = `${kept === 1 ? '1 file is' : `${kept} files are`} kept on this machine and not on the service`;
  return [fault('files', found, { remedy: 'svcfs recover list' })];
}

function diskCacheFindings({ diskCache, warnings }: MountStatistics, nowMs: number): readonly Finding[] {
  if (diskCache === null) return warnings.map((text) => fault('disk cache', withoutName(text)));
  const { directory, failures, lastFailureMs, full, obstacles } = diskCache;
  const remedy = `df -h ${quoted(directory)}; dmesg | tail`;
  const isFailing = lastFailureMs !== null && nowMs - lastFailureMs < FAILING_MS;
  return [
    ...(isFailing ? [fault('disk cache', `its disk has failed ${times(failures)}`, { remedy })] : []),
    ...(full ? [warning('disk cache', 'full: nothing is added')] : []),
    ...(obstacles === null ? [] : [warning('disk cache', `cannot be tidied: ${obstacles.reason}`)]),
  ];
}

function withoutName(text: string): string {
  return text.replace(/^no disk cache: /, 'none: ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function requestFinding({ api, believed }: MountStatistics): readonly Finding[] {
  const [waits] = describeRateWait(api.rate);
  if (waits !== undefined) return [warning('requests', waits)];
  return believed.now ? [warning('requests', 'the limit is spent: what has expired is believed')] : [];
}

function spoolFinding({ waitingWrites }: MountStatistics['spool']): readonly Finding[] {
  if (waitingWrites === 0) return [];
  const writes = waitingWrites === 1 ? '1 write waits' : `${waitingWrites} writes wait`;
  return [warning('spool', `${writes} for room (--spool-size)`)];
}

function clockFinding({ clockAheadMs }: MountStatistics['api']): readonly Finding[] {
  return clockAheadMs === null ? [] : [warning('clock', describeClockSkew(clockAheadMs))];
}
