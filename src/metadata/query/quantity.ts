/** Values that have an order: decimal numbers and ISO dates. */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const ISO_DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?$/;

/** Undefined unless both are decimal numbers, or both are dates: as texts, 9 would come after 10. */
export function compared(one: string, other: string): number | undefined {
  if (DECIMAL.test(one) && DECIMAL.test(other)) return Number(one) - Number(other);
  if (!ISO_DATE.test(one) || !ISO_DATE.test(other)) return undefined;
  return Date.parse(one) - Date.parse(other);
}

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** `1.5G` in bytes; what is no size stays. */
export function bytesOf(text: string): string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kmgt])i?b?$/i.exec(text) ?? [];
  return number === undefined ? text : String(Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1)));
}

/** Whether anything can be less or greater. */
export function hasOrder(text: string): boolean {
  return DECIMAL.test(text) || ISO_DATE.test(text);
}
