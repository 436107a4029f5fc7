import { timeOfDay } from '../../lib/time-of-day.ts';
import type { MountStatistics } from './mount-statistics.ts';

type Rate = MountStatistics['api']['rate'];

/** So many calls are told of, each in a line of its own. */
const MOST_LINES = 20;

/**
 * The conditions that calls of the mount wait for now, and until when, a line each.
 *
 * @param path Begins at the top of the mount: of single calls only those about it, or what is below it. Default: all.
 */
export function describeWaits(
  { rate, unanswered }: Pick<MountStatistics['api'], 'rate' | 'unanswered'>,
  path = '/',
): readonly string[] {
  const inside = path === '/' ? path : `${path}/`;
  const calls = rate.calls.filter(({ program }) => `${program?.path}/`.startsWith(inside));
  return [
    ...calls.slice(0, MOST_LINES).flatMap(describeCall),
    ...describeRateWait(rate),
    ...describeSilence(unanswered),
  ];
}

/** Nothing for a call that no program waits for. */
function describeCall({ before, untilMs, program }: Rate['calls'][number]): readonly string[] {
  if (program === null) return [];
  const { operation, path, process } = program;
  const until = untilMs === null ? '' : ` until ${timeOfDay(untilMs)}`;
  const callsBefore = before === 1 ? '1 call before it' : `${before} calls before it`;
  const who = process === 0 ? '' : ` (process ${process})`;
  return [`${operation} ${path}${who}: waiting for the rate limit${until}, ${callsBefore}`];
}

/** One line, or none. */
export function describeRateWait({ waiting, calls: told, refused }: Rate): readonly string[] {
  const count = Object.values(waiting).reduce((sum, each) => sum + each, 0);
  const untilMs = Math.max(refused.untilMs ?? 0, ...told.map((call) => call.untilMs ?? 0));
  const calls = count + refused.calls;
  if (calls === 0) return [];
  const until = untilMs > 0 ? `, until ${timeOfDay(untilMs)}` : '';
  return [`${callsWait(calls)} for the rate limit of the service${until}`];
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
