import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import { type Amount, paceOf, type Standing } from './standing.ts';

export interface Shown {
  readonly standing: Standing;
  /** A second, of late. */
  readonly rate: Amount;
  /** Since the work began. */
  readonly elapsedMs: number;
}

/** A terminal of a few columns has no room for a bar. */
const LEAST_BAR = 10;
const MOST_BAR = 30;

/** `3 of 9 files, 1.2 GiB of 2.8 GiB, 12.3 MiB/s, 2:10 left; rate limit resets in 1:05`. */
export function describeStanding(shown: Shown): string {
  const { standing, rate, elapsedMs } = shown;
  const { done, total, items = 'files' } = standing;
  const left = secondsLeft(shown);
  const far =
    total.items === 0
      ? [minutes(elapsedMs)]
      : [
          `${done.items} of ${total.items} ${total.items === 1 ? items.replace(/s$/, '') : items}`,
          ...(total.bytes > 0 ? [`${describeSize(done.bytes)} of ${describeSize(total.bytes)}`] : []),
          describeRate(rate, paceOf(standing)),
          ...(left === undefined ? [] : [`${minutes(left * 1000)} left`]),
        ];
  return [far.join(', '), ...waitsOf(shown).map(printable)].join('; ');
}

/** In one line of a terminal: with a bar, where there is room for one. */
export function drawStanding(shown: Shown, columns: number): string {
  const text = describeStanding(shown);
  // In the last column some terminals begin another line.
  const width = Math.max(1, columns - 1);
  const bar = Math.min(MOST_BAR, width - text.length - '[] '.length);
  const share = doneShare(shown.standing);
  if (share === undefined || bar < LEAST_BAR) return [...text].slice(0, width).join('');
  return `[${'#'.repeat(Math.floor(share * bar)).padEnd(bar, '.')}] ${text}`;
}

/** The conditions that it waits for now. */
export function waitsOf({ standing: { waits, silence }, rate }: Shown): readonly string[] {
  const isSilent = silence !== undefined && rate.bytes <= 0 && rate.items <= 0;
  return isSilent ? [silence, ...waits] : waits;
}

/** Undefined while nothing gets further, or the end is not known. */
export function secondsLeft({ standing, rate }: Shown): number | undefined {
  const pace = paceOf(standing);
  const left = standing.total[pace] - standing.done[pace];
  if (standing.total.items === 0 || left <= 0 || rate[pace] <= 0) return undefined;
  return left / rate[pace];
}

/** `2:10`, `1:02:10`: minutes and seconds, with hours where there are any. */
export function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = Math.floor(seconds / 60) % 60;
  return `${hours > 0 ? `${hours}:${twoDigits(rest)}` : rest}:${twoDigits(seconds % 60)}`;
}

function doneShare(standing: Standing): number | undefined {
  const pace = paceOf(standing);
  const total = standing.total[pace];
  return total > 0 ? Math.min(1, Math.max(0, standing.done[pace] / total)) : undefined;
}

function describeRate(rate: Amount, pace: keyof Amount): string {
  if (pace === 'bytes') return `${describeSize(Math.round(rate.bytes))}/s`;
  return `${rate.items >= 10 ? Math.round(rate.items) : rate.items.toFixed(1)}/s`;
}
