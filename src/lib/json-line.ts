/**
 * A value as one line of JSON, its end included. U+2028 and U+2029, which JSON takes as they are and file names may have, are
 * escaped: readline of newer Node.js ends a line there.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return `${text}\n`;
}
