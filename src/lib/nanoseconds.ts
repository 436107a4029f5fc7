/** Times as the kernel has them: nanoseconds since the epoch. A number is not exact there, a bigint is. */

const PER_MS = 1_000_000n;
const PER_SECOND = 1_000_000_000n;

export function nanosecondsOf(ms: number): bigint {
  return BigInt(Math.floor(ms)) * PER_MS;
}

/** Down to the whole millisecond. */
export function millisecondsOf(timeNs: bigint): number {
  const ms = timeNs / PER_MS;
  return Number(ms * PER_MS > timeNs ? ms - 1n : ms);
}

/** Whole seconds, down, and the rest in nanoseconds: the two fields of a time on the wire. */
export function splitTime(timeNs: bigint): { seconds: number; nanoseconds: number } {
  const seconds = timeNs / PER_SECOND;
  const rest = Number(timeNs - seconds * PER_SECOND);
  return rest < 0
    ? { seconds: Number(seconds) - 1, nanoseconds: rest + 1e9 }
    : { seconds: Number(seconds), nanoseconds: rest };
}

/** The inverse of `splitTime`. */
export function joinTime(seconds: number, nanoseconds: number): bigint {
  return BigInt(seconds) * PER_SECOND + BigInt(nanoseconds);
}

export function latest(...times: readonly (bigint | undefined)[]): bigint | undefined {
  return times.reduce(
    (last, time) => (last === undefined || (time !== undefined && time > last) ? time : last),
    undefined,
  );
}

/** Seconds with nine decimals: what `parseTime` reads. */
export function timeText(timeNs: bigint): string {
  const size = timeNs < 0n ? -timeNs : timeNs;
  const { seconds, nanoseconds } = splitTime(size);
  return `${timeNs < 0n ? '-' : ''}${seconds}.${String(nanoseconds).padStart(9, '0')}`;
}

/** Undefined for what is no time. A whole number is milliseconds, as earlier versions wrote times. */
export function parseTime(text: string): bigint | undefined {
  if (/^-?\d{1,16}$/.test(text)) return BigInt(text) * PER_MS;
  const [, sign, seconds, decimals] = /^(-?)(\d{1,12})\.(\d{9})$/.exec(text) ?? [];
  if (seconds === undefined || decimals === undefined) return undefined;
  const size = joinTime(Number(seconds), Number(decimals));
  return sign === '-' ? -size : size;
}
