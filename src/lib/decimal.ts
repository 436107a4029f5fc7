/** Amounts of money are whole millionths: exact in JSON numbers up to some billions, and in the sums of the database. */

const DIGITS = 6;
const SCALE = 10n ** BigInt(DIGITS);
const HOUR_MS = 3_600_000n;

/** From a decimal number with at most six digits after the point. */
export function microsOf(text: string): number {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`no amount of money: ${text}`);
  return Number(BigInt(whole) * SCALE + BigInt(fraction.padEnd(DIGITS, '0')));
}

/** As the API writes them: at least two digits after the point, and no zeros that say nothing. */
export function decimalOf(micros: number): string {
  const fraction = String(BigInt(micros) % SCALE)
    .padStart(DIGITS, '0')
    .replace(/0{1,4}$/, '');
  return `${BigInt(micros) / SCALE}.${fraction}`;
}

/** The price of some milliseconds at a price for an hour, in millionths, rounded half up. */
export function costOf(hourlyMicros: number, ms: number): number {
  const total = BigInt(hourlyMicros) * BigInt(Math.max(0, Math.round(ms)));
  return Number((total + HOUR_MS / 2n) / HOUR_MS);
}
