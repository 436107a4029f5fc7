import { describeSize } from '../../../lib/describe-size.ts';

export { describeSize };

/** `1.5 MiB/s`. */
export function rateText(bytesPerSecond: number): string {
  return `${describeSize(Math.round(bytesPerSecond))}/s`;
}

/** `4 s`, `2 min 10 s`, `3 h 5 min`, `2 d 4 h`: two units at most. */
export function durationText(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.length === 0 ? '0 s' : parts.slice(0, 2).join(' ');
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Of this machine's time. */
export function clockText(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

/** With the day when that is not today's. */
export function momentText(ms: number, nowMs = Date.now()): string {
  const isToday = new Date(ms).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clockText(ms) : `${new Date(ms).toISOString().slice(0, 10)} ${clockText(ms)}`;
}

/** 0 to 100; a part that is not whole is never 100. */
export function percent(part: number, whole: number): number {
  if (whole <= 0) return 100;
  return Math.min(part >= whole ? 100 : 99, Math.floor((100 * part) / whole));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
