/**
 * Values that a spreadsheet changed without being asked. A new value alone does not show that: `1-Mar` may be right. Beside
 * the old value it does: `MARCH1` was there before.
 */

/** Whether `after` is what a spreadsheet makes of `before`. */
export function isSpreadsheetDamage(before: string, after: string): boolean {
  if (before === after) return false;
  return (
    isQuoted(before, after) ||
    isUpperBoolean(before, after) ||
    isErrorWord(before, after) ||
    isMisread(before, after) ||
    isNumberRewritten(before, after) ||
    isDateRewritten(before, after)
  );
}

function isQuoted(before: string, after: string): boolean {
  return after === `"${before.replaceAll('"', '""')}"` || after === `"${before}"`;
}

function isUpperBoolean(before: string, after: string): boolean {
  return /^(?:TRUE|FALSE)$/.test(after) && before.toUpperCase() === after;
}

/** The result of a formula that was none. */
function isErrorWord(before: string, after: string): boolean {
  return /^[=+\-@]/.test(before) && /^#(?:NAME\?|REF!|VALUE!|DIV\/0!|N\/A|NUM!)$/.test(after);
}

/** UTF-8 that was read as Latin-1: `é` becomes `Ã©`. */
function isMisread(before: string, after: string): boolean {
  return Buffer.from(before, 'utf8').toString('latin1') === after;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** As a spreadsheet writes numbers: without zeros that mean nothing. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const SHORT_NUMBER = /^-?\d(?:\.\d+)?E[+-]\d+$/i;
/** The significant digits that a spreadsheet keeps. */
const DIGITS_KEPT = 15;

/** `007` to `7`, `1.50` to `1.5`, `2310009E13` to `2.31E+19`, and digits after the fifteenth to zeros. */
function isNumberRewritten(before: string, after: string): boolean {
  if (!NUMBER.test(before)) return false;
  const number = Number(before);
  if (SHORT_NUMBER.test(after)) return Number(number.toPrecision(digitsOf(after))) === Number(after);
  return PLAIN_NUMBER.test(after) && Number(number.toPrecision(DIGITS_KEPT)) === Number(after);
}

function digitsOf(short: string): number {
  const [mantissa = ''] = short.split(/e/i);
  return Math.min(DIGITS_KEPT, mantissa.replace(/\D/g, '').length);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|' +
  'dec(?:ember)?)';

interface Day {
  readonly month: number;
  readonly day: number;
}

/** `SEPT2` to `2-Sep`, `3/4` to `4-Mar`, `2024-01-05` to `1/5/2024`: the same day, written in another way. */
function isDateRewritten(before: string, after: string): boolean {
  // The way of ISO 8601 is chosen by people, for what was a whole date.
  if (/^\d{4}-\d\d-\d\d$/.test(after) && /\d{4}/.test(before)) return false;
  const days = daysOf(after);
  return daysOf(before).some(({ month, day }) =>
    days.some((each) => each.month === month && each.day === day),
  );
}

/** All days that a text may mean to a spreadsheet, whatever the year. */
function daysOf(text: string): readonly Day[] {
  const lower = text.toLowerCase();
  const [, name, dayAfter] = new RegExp(`^${MONTH}[-. /]?(\\d{1,2})$`).exec(lower) ?? [];
  if (name !== undefined) return dayIn(monthOf(name), Number(dayAfter));
  const [, dayBefore, nameAfter] =
    new RegExp(`^(\\d{1,2})[-. /]${MONTH}(?:[-. /]\\d{2,4})?$`).exec(lower) ?? [];
  if (nameAfter !== undefined) return dayIn(monthOf(nameAfter), Number(dayBefore));
  const [, year, middle, last] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(lower) ?? [];
  if (year !== undefined) return dayIn(Number(middle), Number(last));
  const [, one, other] = /^(\d{1,2})[-/.](\d{1,2})(?:[-/.](?:\d{2}|\d{4}))?$/.exec(lower) ?? [];
  if (one === undefined) return [];
  return [...dayIn(Number(one), Number(other)), ...dayIn(Number(other), Number(one))];
}

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => name.startsWith(month)) + 1;
}

function dayIn(month: number, day: number): readonly Day[] {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [{ month, day }] : [];
}
