const DIGITS = 12;
const SCALE = 10n ** BigInt(DIGITS);

/** The exact sum of decimal numbers written as text, with at least two and at most twelve digits after the point. */
export function sumOf(amounts: readonly string[]): string {
  return formatDecimal(amounts.reduce((sum, amount) => sum + parseDecimal(amount), 0n));
}

const HOUR_MS = 3_600_000n;
/** Amounts are rounded to millionths, half up. */
const ROUNDING = 10n ** BigInt(DIGITS - 6);

/** What some milliseconds cost at a price for an hour; both decimal numbers written as text. */
export function costOf(hourlyPrice: string, ms: number): string {
  const units = (parseDecimal(hourlyPrice) * BigInt(Math.max(0, Math.round(ms)))) / HOUR_MS;
  return formatDecimal(((units + ROUNDING / 2n) / ROUNDING) * ROUNDING);
}

function parseDecimal(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  const units = BigInt(whole) * SCALE + BigInt(fraction.padEnd(DIGITS, '0'));
  return sign === '-' ? -units : units;
}

function formatDecimal(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % SCALE)
    .padStart(DIGITS, '0')
    .replace(/0{1,10}$/, '');
  return `${units < 0n ? '-' : ''}${size / SCALE}.${fraction}`;
}
