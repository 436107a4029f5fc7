import type { MountStatistics } from './mount-statistics.ts';

/** The conditions that calls of the mount wait for now, and until when, a line each. */
export function describeWaits({ rate, unanswered }: MountStatistics['api']): readonly string[] {
  return [...describeRateWait(rate), ...describeSilence(unanswered)];
}

function describeRateWait({ waiting, window, refused }: MountStatistics['api']['rate']): readonly string[] {
  const count = Object.values(waiting).reduce((sum, each) => sum + each, 0);
  const resetMs = window === undefined || window === 'unlimited' ? undefined : window.resetMs;
  const untilMs = Math.max(refused.untilMs ?? 0, count > 0 ? (resetMs ?? 0) : 0);
  const calls = count + refused.calls;
  if (calls === 0) return [];
  return [
    `${callsWait(calls)} for the rate limit of the service${untilMs > 0 ? `, until ${at(untilMs)}` : ''}`,
  ];
}

function describeSilence({
  calls,
  sinceMs,
  untilMs,
}: MountStatistics['api']['unanswered']): readonly string[] {
  if (calls === 0 || sinceMs === null || untilMs === null) return [];
  return [
    `${callsWait(calls)} for the service, which has not answered since ${at(sinceMs)}; svcfs tries until ${at(untilMs)}`,
  ];
}

function callsWait(count: number): string {
  return count === 1 ? '1 call waits' : `${count} calls wait`;
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
