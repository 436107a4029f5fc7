/**
 * JSON whose numbers keep the digits that they were written with. A number that a double would write otherwise (`0.10`,
 * `9007199254740993`) is parsed as a string with a mark, and printed as the number that it was. Strings go as they are.
 */

/** Two characters that no text of the platform begins with. */
const MARK = '\u0000#';
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = /"\\u0000#(-?\d[\d.eE+-]*)"/g;

/** As `JSON.parse`. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  let marks = 0;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
    marks += 1;
    return JSON.stringify(MARK + token);
  });
  return marks === 0 ? value : JSON.parse(marked);
}

/** As `JSON.stringify`, with the numbers as they were. */
export function printExactly(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? 'null').replace(MARKED, '$1');
}

/** A text or number as the text that it was; undefined for anything else. */
export function exactText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.startsWith(MARK) ? value.slice(MARK.length) : value;
}

/** A number as the text that it was; undefined for anything else. */
export function exactNumber(value: unknown): string | undefined {
  if (typeof value === 'string' && !value.startsWith(MARK)) return undefined;
  return exactText(value);
}
